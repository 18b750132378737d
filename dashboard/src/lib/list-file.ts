import { itemTexts, memberText, memberTexts } from './raw-json.ts';

/** Rows that the browser reads into one file, at most: a hundred questions, and some 10 MB to hold. */
export const MOST_READ = 10_000;
/** The largest page of every list. */
const AT_ONCE = 100;

/** A file that rows are written into, each as the text of JSON that the service has sent. */
export type RowsFile = { add: (row: string) => void; parts: () => string[] };

/** A line of JSON for each row, digit for digit. */
export function createLinesFile(): RowsFile {
  const lines: string[] = [];
  return {
    // A payload is published over several lines: a line ends between two tokens alone, where a space is as good.
    add: (row) => void lines.push(`${row.replaceAll(/[\r\n]/g, ' ')}\n`),
    parts: () => lines,
  };
}

// A spreadsheet takes a cell that begins with one of these for a formula, their wide forms too. A name of a thing must not be one.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A value of JSON as a cell: a text without its quotes, numbers digit for digit, and objects and lists as JSON. Null is an empty cell. */
function cellOf(json: string): string {
  if (json === 'null') return '';
  if (!json.startsWith('"')) return quoted(json);
  // `as`: it begins with a quote.
  const text = JSON.parse(json) as string;
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

/**
 * A table (RFC 4180) with a column for each member that any of the rows has, in their order: a member that only some rows have follows the
 * one before it.
 */
export function createTableFile(): RowsFile {
  const columns: string[] = [];
  const known = new Set<string>();
  const rows: ReadonlyMap<string, string>[] = [];
  return {
    add(row) {
      const members = memberTexts(row);
      let before = -1;
      for (const [name] of members) {
        if (!known.has(name)) {
          known.add(name);
          columns.splice(before + 1, 0, name);
        }
        before = columns.indexOf(name);
      }
      rows.push(new Map(members.map(([name, value]) => [name, cellOf(value)])));
    },
    parts() {
      const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;
      return [
        lineOf(columns.map(quoted)),
        ...rows.map((cells) => lineOf(columns.map((name) => cells.get(name) ?? ''))),
      ];
    },
  };
}

/** One answer of a list: its text, the member with its rows, and where it goes on. */
type Answered = { text: string; member?: string; cursor: string | undefined };

/**
 * Writes the rows of a list into a file, a page after the other. `read` asks for one, and `told` hears how many rows there are so far.
 * Says whether the list has more rows than were read. A page that cannot be read ends it with the error of the page.
 */
export async function readRows(
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Answered>,
  file: RowsFile,
  { most, told }: { most: number; told: (count: number) => void },
): Promise<{ isCut: boolean }> {
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const answer = await read({ limit: Math.min(AT_ONCE, most - count), cursor });
    for (const row of itemTexts(memberText(answer.text, answer.member ?? 'data') ?? '[]')) {
      file.add(row);
      count += 1;
    }
    ({ cursor } = answer);
    if (cursor === undefined || count >= most) return { isCut: cursor !== undefined };
    told(count);
  }
}
