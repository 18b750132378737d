import type { ExportFormat } from '../../api/http/reading/query.ts';
import { CSV_LINE_END, csvLine } from '../../kernel/values/text.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import type { Page } from '../../kernel/values/page.ts';
import type { Columns } from './columns.ts';

/** Rows of one export. */
export const MOST_EXPORTED = 100_000;

// Rows of one query: some 500 kB, and a transaction of its own, so that a slow reader holds no connection.
const ROWS_AT_ONCE = 500;

export type ReadPage<T> = (page: { limit: number; cursor: string | undefined }) => Promise<Page<T>>;

/** Rows of a list, a page at a time, in the order of the list; at most `MOST_EXPORTED`. */
export async function* pagesOf<T>(read: ReadPage<T>): AsyncGenerator<T[]> {
  let cursor: string | undefined;
  for (let left = MOST_EXPORTED; left > 0; ) {
    const { data, pagination } = await read({ limit: Math.min(left, ROWS_AT_ONCE), cursor });
    if (data.length > 0) yield data;
    left -= data.length;
    ({ cursor } = pagination);
    if (cursor === undefined) return;
  }
}

/** Lines of text, several at once: a head and cells, or objects of JSON. */
export async function* writeRows<T>(
  pages: AsyncIterable<readonly T[]>,
  { format, columns }: { format: ExportFormat; columns: Columns<T> },
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  if (format === 'csv') yield csvLine(Object.keys(columns)) + CSV_LINE_END;
  for await (const rows of pages)
    yield rows
      .map((row) =>
        format === 'csv' ? csvLine(cells.map((cell) => cell(row))) + CSV_LINE_END : jsonLineOf(stringifyExact(row)),
      )
      .join('');
}

/** A payload is published over several lines: inside JSON a line ends between two tokens alone, where a space is as good. */
const jsonLineOf = (json: string): string => `${json.replaceAll(/[\r\n]/g, ' ')}\n`;
