import { createContext, useContext } from 'react';

/** Whether a row of a grid is the current one; undefined outside grids. */
export const GridRowContext = createContext<boolean | undefined>(undefined);

/**
 * In a grid only the current row's links are tab stops, after the grid itself: the links of all rows would be in the
 * way (WCAG 2.4.3).
 */
export const useRowStop = (): { tabIndex?: -1 } => (useContext(GridRowContext) === false ? { tabIndex: -1 } : {});
