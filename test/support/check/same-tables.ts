import { expect } from '@jest/globals';
import type { Pool } from 'pg';
import { type TableContents, tableContents } from './table-contents.ts';

/** Runs `act` and compares every table before and after. Separate from `tableContents`, which programs outside jest may load. */
export const expectSameTables = (pool: Pool, act: () => Promise<void>): Promise<void> =>
  keptTables(() => pool).expectSame(act);

/**
 * Compares tables for hundreds of tests in a row: each test starts from the contents that the last one saw, so tables are read half as
 * often. Call `forget` after a request that may have changed a table; without it the next test fails, but none checks less.
 */
export function keptTables(poolOf: () => Pool): {
  expectSame: (act: () => Promise<void>) => Promise<void>;
  forget: () => void;
} {
  let kept: TableContents | undefined;
  return {
    async expectSame(act) {
      const before = kept ?? (await tableContents(poolOf()));
      kept = undefined;
      await act();
      const after = await tableContents(poolOf());
      expect(after).toEqual(before);
      kept = after;
    },
    forget() {
      kept = undefined;
    },
  };
}
