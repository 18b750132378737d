import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STATUS_OF_CODE } from '../../src/kernel/errors/api-error.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');

/** The rows of the page's table: code, status, when, what to do. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const statusOnPage = Object.fromEntries(rows.map(([code = '', status]) => [code.replaceAll('`', ''), Number(status)]));

describe('docs/errors.md', () => {
  test('lists every code of the table with its status, no other code, and in the same order', () => {
    expect(statusOnPage).toEqual(STATUS_OF_CODE);
    expect(Object.keys(statusOnPage)).toEqual(Object.keys(STATUS_OF_CODE));
    expect(rows).toHaveLength(Object.keys(STATUS_OF_CODE).length);
  });

  test.each(rows)('says of %s (%s) when it comes and what to do', (...cells) => {
    expect(cells).toHaveLength(4);
    expect(cells.filter((cell) => cell === '')).toEqual([]);
    expect(cells[2]).toMatch(/\.$/);
    expect(cells[3]).toMatch(/\.$/);
  });

  test('names no code in its text that the table does not have', () => {
    const named = page.match(/\b[A-Z]{3,}(?:_[A-Z]+)+\b|\bCONFLICT\b|\bINTERNAL\b|\bUNAVAILABLE\b/g) ?? [];
    expect(named.filter((code) => !(code in STATUS_OF_CODE))).toEqual([]);
  });
});
