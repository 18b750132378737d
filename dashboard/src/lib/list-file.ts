import { itemTexts, memberText, memberTexts } from './raw-json.ts';

/** Most rows that the browser reads into one file: a hundred requests, and about 10 MB of memory. */
export const MOST_READ = 10_000;
/** The largest page size of every list. */
const AT_ONCE = 100;

/** A file that rows are written to, each as the JSON text that the service has sent. */
export type RowsFile = { add: (row: string) => void; parts: () => string[] };

/** Writes one line of JSON per row, digit for digit. */
export function createLinesFile(): RowsFile {
  const lines: string[] = [];
  return {
    // A published payload may span several lines. Line breaks occur only between tokens, where a space is equivalent.
    add: (row) => void lines.push(`${row.replaceAll(/[\r\n]/g, ' ')}\n`),
    parts: () => lines,
  };
}

// A spreadsheet treats a cell that starts with one of these, or its full-width form, as a formula. The name of a
// resource must not become one.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * Turns a JSON value into a cell: a string without its quotes, numbers digit for digit, objects and arrays as JSON.
 * Null is an empty cell.
 */
function cellOf(json: string): string {
  if (json === 'null') return '';
  if (!json.startsWith('"')) return quoted(json);
  // `as`: the text starts with a quote.
  const text = JSON.parse(json) as string;
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

/**
 * Writes a CSV table (RFC 4180) with a column for each member that any row has, in order. A member that only some rows
 * have comes after the member that precedes it there.
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

/** One page of a list: its text, the member that holds its rows, and the cursor of the next page. */
type Answered = { text: string; member?: string; cursor: string | undefined };

/**
 * Writes the rows of a list to a file, page by page. `read` fetches a page, and `told` receives the number of rows so
 * far. Returns whether the list has more rows than were read. If a page cannot be read, rejects with that page's error.
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
