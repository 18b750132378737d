import { expect } from '@jest/globals';
import type { Pool } from 'pg';
import { type TableContents, tableContents } from './table-contents.ts';

/** Runs it and compares every table before and after. Apart from `tableContents`, which programs outside of jest may load. */
export const expectSameTables = (pool: Pool, act: () => Promise<void>): Promise<void> =>
  keptTables(() => pool).expectSame(act);

/**
 * The same for hundreds of tests in a row: each begins with what the last one has seen, so all tables are read half as often. After a
 * call that may have changed a table comes `forget`. Where it was left out, the next test fails, and none sees less.
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
