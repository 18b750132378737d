import { createContext, useContext } from 'react';

/** Whether a row of a grid is the chosen one; undefined outside of grids. */
export const GridRowContext = createContext<boolean | undefined>(undefined);

/** A grid is one stop of the Tab key, and the links of its chosen row the next ones: links of all rows would be in the way (WCAG 2.4.3). */
export const useRowStop = (): { tabIndex?: -1 } => (useContext(GridRowContext) === false ? { tabIndex: -1 } : {});
