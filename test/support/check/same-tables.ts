import { expect } from '@jest/globals';
import type { Pool } from 'pg';
import { tableContents } from './table-contents.ts';

/** Runs it and compares every table before and after. Apart from `tableContents`, which programs outside of jest may load. */
export async function expectSameTables(pool: Pool, act: () => Promise<void>): Promise<void> {
  const before = await tableContents(pool);
  await act();
  expect(await tableContents(pool)).toEqual(before);
}
