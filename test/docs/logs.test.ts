import { expect, test } from '@jest/globals';
import { type Node, parse, walk } from '../mutations/syntax.ts';
import { sourcesOf } from '../support/check/imports.ts';
import { tableRowsOf } from './code-blocks.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Fields that are not written beside a call of the log: src/log.ts and src/outages add them, and the SDK names its own errors. */
const ADDED = ['level', 'time', 'pid', 'role', 'process', 'host', 'version', 'msg', 'error', 'awayMs', 'linesLeftOut'];

/** Names of the fields that the calls of a log in a file give, with their places. */
function fieldsOf(path: string, source: string): { name: string; path: string }[] {
  const fields: { name: string; path: string }[] = [];
  walk(parse(source), (node) => {
    if (!isLogCall(node)) return;
    const [given] = node.children('arguments');
    if (given?.type !== 'ObjectExpression') return;
    for (const property of given.children('properties')) {
      const name = property.keyName();
      if (name !== undefined && property.type !== 'SpreadElement') fields.push({ name, path });
    }
  });
  return fields;
}

/** `log.warn(…)`, `deps.log.info(…)` or `log[level](…)`. */
function isLogCall(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const [callee] = node.children('callee');
  if (callee?.type !== 'MemberExpression') return false;
  const [object] = callee.children('object');
  const [property] = callee.children('property');
  const isOfLevel = property?.type === 'Computed' || LEVELS.includes(callee.lastName() ?? '');
  return object?.lastName() === 'log' && isOfLevel;
}

const namedIn = (section: string): string[] =>
  tableRowsOf('docs/logs.md', section).flatMap(([names = '']) =>
    Array.from(names.matchAll(/`(\w+)`/g), ([, name = '']) => name),
  );

const written = ['src', 'activities', 'local'].flatMap((folder) =>
  [...sourcesOf(folder)].flatMap(([path, source]) => fieldsOf(path, source)),
);

test('every field of a line of the log stands in docs/logs.md', () => {
  const named = [...namedIn('Fields of every line'), ...namedIn('Fields of some lines')];
  expect(written.length).toBeGreaterThan(60);
  expect(written.filter(({ name }) => !named.includes(name))).toEqual([]);
});

test('docs/logs.md names no field that no line has', () => {
  const known = new Set([...written.map(({ name }) => name), ...ADDED, ...SPREAD]);
  expect(namedIn('Fields of some lines').filter((name) => !known.has(name))).toEqual([]);
  expect(namedIn('Fields of every line').filter((name) => !ADDED.includes(name))).toEqual([]);
});

/** Fields that a line has by spreading an object: of a failed request, and of the Temporal SDK. */
const SPREAD = [
  'deliveryId',
  'messageId',
  'subscriptionId',
  'requestId',
  'traceId',
  'route',
  'workflowId',
  'runId',
  'activityId',
  'taskQueue',
  'temporal',
];

test('a line that names a delivery names its message too, by idsOf where the trace is known', () => {
  const named = new Map<string, string[]>();
  for (const { name, path } of written) named.set(path, [...(named.get(path) ?? []), name]);
  const lonely = [...named].filter(([, names]) => names.includes('deliveryId') && !names.includes('messageId'));
  expect(lonely).toEqual([]);
  expect([...named].some(([, names]) => names.includes('deliveryId'))).toBe(true);
});

test('a field under another name, or with an abbreviation, is found', () => {
  const planted =
    "deps.log.warn({ err: error, msgId: id, ...told }, 'x'); log[level]({ reqId }, 'y'); other.warn({ no: 1 });";
  expect(fieldsOf('planted.ts', planted).map(({ name }) => name)).toEqual(['err', 'msgId', 'reqId']);
});

test('an error has the name err, under which a reader looks for it', () => {
  expect(written.filter(({ name }) => ['error', 'failure', 'cause', 'e'].includes(name))).toEqual([]);
});
