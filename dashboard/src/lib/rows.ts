import { keep } from './kept.ts';

/** How high the rows of lists are: `--row` in theme.css. */
export type Rows = 'comfortable' | 'compact';

// The root has it before the first paint (theme.js), so that style and script agree, although another tab has chosen anew.
export const rowsNow = (): Rows => (document.documentElement.dataset['rows'] === 'compact' ? 'compact' : 'comfortable');

/** Chooses the height of rows: of lists that are opened from now on. */
export function chooseRows(rows: Rows): void {
  keep('rows', rows);
  if (rows === 'compact') document.documentElement.dataset['rows'] = rows;
  else delete document.documentElement.dataset['rows'];
}
