import { keep } from './kept.ts';

/** The heights of the rows of lists, in CSS pixels: as `--row` in tokens.css. */
const HEIGHTS = { comfortable: 36, compact: 28 } as const;
export type Rows = keyof typeof HEIGHTS;

// The root has it before the first paint (theme.js), so that style and script agree, although another tab has chosen anew.
export const rowsNow = (): Rows => (document.documentElement.dataset['rows'] === 'compact' ? 'compact' : 'comfortable');

export const rowHeightNow = (): number => HEIGHTS[rowsNow()];

/** Chooses the height of rows: of lists that are opened from now on. */
export function chooseRows(rows: Rows): void {
  keep('rows', rows);
  if (rows === 'compact') document.documentElement.dataset['rows'] = rows;
  else delete document.documentElement.dataset['rows'];
}
