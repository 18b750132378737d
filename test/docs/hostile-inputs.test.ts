import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PARSERS } from '../../bench/hold-up/parsers.ts';
import { HOSTILE_INPUTS } from '../../bench/hold-up/table.ts';
import { readPage, ROOT } from './code-blocks.ts';

const SECTION = /## What reads the texts of callers\n[^]*?\n## /;

test('security.md lists the parsers that the benchmark of hostile requests tries, with their files', () => {
  const [section = ''] = SECTION.exec(readPage('docs/security.md')) ?? [];
  const rows = [...section.matchAll(/^\| (.+) \| `(.+)` \|$/gm)].map(([, parser, file]) => [parser, file]);
  expect(rows).toEqual(Object.entries(PARSERS));
  expect(Object.values(PARSERS).filter((file) => !existsSync(ROOT + file))).toEqual([]);
});

test('each parser has a hostile input, and each input a name of its own', () => {
  const tried = new Set<string>(HOSTILE_INPUTS.map(({ parser }) => parser));
  expect(Object.keys(PARSERS).filter((parser) => !tried.has(parser))).toEqual([]);
  const names = HOSTILE_INPUTS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
