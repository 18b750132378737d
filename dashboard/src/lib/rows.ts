import { keep } from './kept.ts';

/** Row height of lists: `--row` in theme.css. */
export type Rows = 'comfortable' | 'compact';

// The root element has it before the first paint (theme.js), so style and script agree even if another tab has changed
// the setting.
export const rowsNow = (): Rows => (document.documentElement.dataset['rows'] === 'compact' ? 'compact' : 'comfortable');

/** Sets the row height of lists that are opened from now on. */
export function chooseRows(rows: Rows): void {
  keep('rows', rows);
  if (rows === 'compact') document.documentElement.dataset['rows'] = rows;
  else delete document.documentElement.dataset['rows'];
}
