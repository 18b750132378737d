import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from '@jest/globals';
import type { Diagnostics } from 'recheck';
import { parse, walk } from '../support/check/syntax.ts';
import { sourcesOf } from '../support/check/imports.ts';

/**
 * Judges patterns in a separate thread, because in jest's context the library takes twenty times as long. There is no time limit, since
 * the result must not depend on how busy the machine is.
 */
const CHECKER = `
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  const { checkSync } = require('recheck');
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (patterns) => {
    parentPort.postMessage(patterns.map(({ pattern, flags }) => checkSync(pattern, flags, { timeout: null })));
  });`;
const checker = new Worker(CHECKER, { eval: true });
afterAll(() => checker.terminate());

/** Patterns that take longer than linear time, and why this is harmless: what they are matched with, and how long that can be. */
const BOUNDED: Readonly<Record<string, string>> = {
  [String.raw`/\/+$/`]: 'URLs of the settings, and of the program that uses the client library',
  [String.raw`/(task_queue="[^"]*?)inc_[^"]*"/g`]: 'our own metrics: names of task queues are settings',
  ["/^([\\w!#$%&'*+.^`|~-]+)\\s*=\\s*(.*)$/"]: 'a file that the settings name',
  [String.raw`/\w+\(\\?"([^"\\]+)\\?"\)/g`]: "texts of Temporal's SDK about the operator's own server",
  [String.raw`/"""(?:[^\\"]|\\[^]|"(?!""))*"""|'''(?:[^\\']|\\[^]|'(?!''))*'''|"(?:[^\\"\n]|\\.)*"|'(?:[^\\'\n]|\\.)*'|\/\/[^\n]*/g`]:
    'expressions: 2,000 characters (MAX_EXPRESSION_LENGTH)',
  [String.raw`/[A-Za-z_][A-Za-z0-9_]*\s*\(/g`]: 'expressions: 2,000 characters (MAX_EXPRESSION_LENGTH)',
  [String.raw`/_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/`]:
    'names of environment variables',
};

/** Patterns that are composed at run time, by file: how many, and an example. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  'src/platform/outbound/headers.ts': ['^(?:posthorn-|x-posthorn-|sec-|proxy-)'],
  'src/platform/db/migrations/large-indexes.ts': [
    String.raw`^CREATE (UNIQUE )?INDEX IF NOT EXISTS "?(\w+)"? ON ("?(messages|deliveries)"? ?\(.+)$`,
    String.raw`^(?:CREATE|ALTER) TABLE (?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?messages"?\b`,
  ],
  'src/messaging/filters/expressions/expressions.ts': [
    '^(.*?): (?:Unexpected token: |Expected (GT|LPAREN), got )(GT|LPAREN|EOF)$',
  ],
  'src/api/http/answers/answer-fields.ts': ['^(?:chn|msg)_[0-9a-hjkmnp-tv-z]{26}$'],
  'src/api/http/reading/query.ts': ['^chn_[0-9a-hjkmnp-tv-z]{26}(?:,chn_[0-9a-hjkmnp-tv-z]{26}){0,99}$'],
  'src/kernel/values/ids.ts': ['^[0-9a-hjkmnp-tv-z]{26}$', '^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$'],
  'src/kernel/values/trace-context.ts': [
    String.raw`^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$`,
  ],
  'src/platform/outbound/exchange/response-content.ts': [
    String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>Jan|Feb) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$`,
    String.raw`^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>Jan|Feb)-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$`,
    String.raw`^[A-Z][a-z]{2} (?<month>Jan|Feb) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$`,
  ],
  'src/platform/outbound/guard/own-addresses.ts': [
    '^/inspect/(ins_[0-9a-z]{26})$',
    '^/inspect/(ins_[0-9a-z]{26})(/.*)?$',
  ],
  'client/src/raw-json.ts': [String.raw`"mark-0123456789(\d+)"`],
};

const found = new Map<string, string[]>();
const composed = new Map<string, number>();
for (const folder of ['src', 'activities', 'workflows', 'client/src']) {
  for (const [path, source] of sourcesOf(folder)) {
    walk(parse(source), (node) => {
      if (node.type === 'RegExpLiteral') {
        const literal = `/${String(node.value('pattern'))}/${String(node.value('flags'))}`;
        found.set(literal, [...(found.get(literal) ?? []), path]);
      }
      const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
      if (isCall && node.children('callee')[0]?.value('value') === 'RegExp')
        composed.set(path, (composed.get(path) ?? 0) + 1);
    });
  }
}

/** Returns, by pattern, why it is not proven to be linear; proven patterns are left out. */
async function problemsOf(patterns: readonly { pattern: string; flags: string }[]): Promise<Map<string, string>> {
  const answer = once(checker, 'message');
  checker.postMessage(patterns);
  // `as`: the message of the thread above.
  const [verdicts] = (await answer) as [Diagnostics[]];
  return new Map(
    verdicts.flatMap((verdict) => {
      if (verdict.status === 'safe') return [];
      const problem = verdict.status === 'vulnerable' ? verdict.complexity.summary : verdict.error.kind;
      return [[`/${verdict.source}/${verdict.flags}`, problem]];
    }),
  );
}

const partsOf = (literal: string): { pattern: string; flags: string } => {
  const end = literal.lastIndexOf('/');
  return { pattern: literal.slice(1, end), flags: literal.slice(end + 1) };
};

test('every regular expression is linear, except those that are matched only with short texts', async () => {
  expect(found.size).toBeGreaterThan(200);
  const problems = await problemsOf([...found.keys()].map(partsOf));
  const unknown = [...problems].filter(([literal]) => BOUNDED[literal] === undefined);
  expect(unknown.map(([literal, problem]) => ({ literal, problem, paths: found.get(literal) }))).toEqual([]);
  // An unused entry would let the pattern return somewhere else.
  expect(Object.keys(BOUNDED).filter((literal) => !problems.has(literal))).toEqual([]);
});

test('patterns that are composed at run time are known, and linear as well', async () => {
  expect(Object.fromEntries(composed)).toEqual(
    Object.fromEntries(Object.entries(COMPOSED).map(([path, patterns]) => [path, patterns.length])),
  );
  const problems = await problemsOf(
    Object.values(COMPOSED).flatMap((patterns) => patterns.map((pattern) => ({ pattern, flags: '' }))),
  );
  expect([...problems]).toEqual([]);
});

test('a quadratic regular expression is found', async () => {
  const problems = await problemsOf([{ pattern: '^[ \\t]+|[ \\t]+$', flags: 'g' }]);
  expect([...problems.values()]).toEqual(['2nd degree polynomial']);
});
