import { expect, test } from '@jest/globals';
import { createFilterCompiler, KEPT, readMessage, type Verdict } from '../../src/filters/filter.ts';
import { codeBlocksOf, readPage } from './code-blocks.ts';

const PAGE = 'docs/filters.md';
const ROW = /^\| `(.+)` \| (yes|no) \|$/gm;

const compile = createFilterCompiler(KEPT);

function verdictOn(filter: string): Verdict {
  const [message] = codeBlocksOf(PAGE).filter(({ language }) => language === 'json');
  const text = message?.text ?? '';
  const { eventType, metadata } = JSON.parse(text) as { eventType: string; metadata: Record<string, string> };
  // As it stands: the reference would lose its digits in JSON.parse.
  const payload = text.slice(text.indexOf('{', 1), text.lastIndexOf('},') + 1);
  const compiled = compile(filter);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled.verdictOn(readMessage({ eventType, payload, metadata }));
}

const rows = [...readPage(PAGE).matchAll(ROW)].map(([, filter = '', answer = '']): [string, string] => [
  filter.replaceAll('\\|', '|'),
  answer,
]);

test('there are examples', () => {
  expect(rows.length).toBeGreaterThan(15);
});

test.each(rows)('%s matches: %s', (filter, answer) => {
  expect(verdictOn(filter)).toEqual({ matches: answer === 'yes' });
});
