import { expect, test } from '@jest/globals';
import { type Node, parse, walk } from '../mutations/syntax.ts';
import { sourcesOf } from '../support/check/imports.ts';
import { tableRowsOf } from './code-blocks.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Fields that are not written beside a call of the log: src/log.ts and src/outages add them, and the SDK names its own errors. */
const ADDED = ['level', 'time', 'pid', 'role', 'process', 'host', 'version', 'msg', 'error', 'awayMs', 'linesLeftOut'];

/** A call of a log: the fields that it gives by name, what it spreads (`idsOf` or `ids`), and the literal text of its sentence. */
type LogCall = { path: string; names: string[]; spreads: string[]; text: string };

/** The calls of a log in a file. */
function callsOf(path: string, source: string): LogCall[] {
  const calls: LogCall[] = [];
  walk(parse(source), (node) => {
    if (!isLogCall(node)) return;
    const given = node.children('arguments');
    const fields = given.find(({ type }) => type === 'ObjectExpression')?.children('properties') ?? [];
    const isSpread = ({ type }: Node): boolean => type === 'SpreadElement';
    calls.push({
      path,
      names: fields.filter((each) => !isSpread(each)).flatMap((each) => each.keyName() ?? []),
      spreads: fields.filter(isSpread).map(spreadName),
      text: given.map(textOf).join(' '),
    });
  });
  return calls;
}

/** Value of a literal text; empty for everything else. */
function textOf(node: Node): string {
  const value = node.value('value');
  return typeof value === 'string' ? value : '';
}

/** `ids` of `...ids`, `idsOf` of `...idsOf(delivery)`. */
function spreadName(node: Node): string {
  const [spread] = node.children('arguments');
  const named = spread?.type === 'CallExpression' ? spread.children('callee')[0] : spread;
  return named?.lastName() ?? '';
}

const fieldsOf = ({ names, path }: LogCall): { name: string; path: string }[] => names.map((name) => ({ name, path }));

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

const calls = ['src', 'activities', 'local'].flatMap((folder) =>
  [...sourcesOf(folder)].flatMap(([path, source]) => callsOf(path, source)),
);
const written = calls.flatMap(fieldsOf);

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

/** Ids that stand together: a line with the first has the others, so that a search by any of them finds it. */
const TOGETHER: readonly (readonly [string, readonly string[]])[] = [
  ['deliveryId', ['messageId', 'subscriptionId', 'traceId']],
  // A step that waits for any run has none yet.
  ['stepId', ['runId|workflowId']],
  ['connectorId', ['connectionId']],
];

/** A sentence about one thing has its id beside it. */
const ABOUT: readonly (readonly [RegExp, string])[] = [
  [/\b(?:a|its) delivery\b/, 'deliveryId'],
  [/\ba claim was\b/, 'deliveryId'],
  [/\ba (?:scheduled )?message (?:was|could)\b/, 'messageId'],
  [/\ba (?:subscription|circuit)\b/, 'subscriptionId'],
  [/\ba schedule\b/, 'workflowId'],
  [/\b(?:a|its) run\b/, 'runId'],
  [/\ba step failed\b/, 'stepId'],
  [/\ban inbound webhook\b/, 'webhookId'],
  [/\bof a connection\b/, 'connectionId'],
  [/\ba deleted channel\b/, 'channelId'],
];

/** Sentences whose writer knows one id alone, each with the reason. */
const KNOWS_ONE: Readonly<Record<string, string>> = {
  'Temporal did not say why a delivery was ended there; it ends all the same':
    'the workflow id that Temporal tells names the delivery and its round',
};

/** Spreads that hold all ids of a delivery: `LoggedIds` of src/deliveries/attempt/delivery-to-attempt.ts. */
const IDS_OF_DELIVERY = ['ids', 'idsOf', 'idsIn'];
const OF_DELIVERY = ['deliveryId', 'messageId', 'subscriptionId', 'traceId'];

/** Sentences about a thing, or names of one, without its other ids. */
function lonelyIn(all: readonly LogCall[]): string[] {
  return all.flatMap(({ path, names, spreads, text }) => {
    if (KNOWS_ONE[text.trim()] !== undefined) return [];
    const isSpread = spreads.some((name) => IDS_OF_DELIVERY.includes(name));
    const has = [...names, ...(isSpread ? OF_DELIVERY : [])];
    const wanted = [
      ...TOGETHER.flatMap(([name, others]) => (has.includes(name) ? others : [])),
      ...ABOUT.flatMap(([words, name]) => (words.test(text) ? [name] : [])),
    ];
    const missing = wanted.filter((each) => !each.split('|').some((name) => has.includes(name)));
    return missing.length === 0 ? [] : [`${path}: ${text.trim() || names.join()} has no ${missing.join(', ')}`];
  });
}

test('each line about a thing has its id, and the ids that belong to it', () => {
  expect(lonelyIn(calls)).toEqual([]);
  const sentences = calls.map(({ text }) => text.trim());
  expect(Object.keys(KNOWS_ONE).filter((sentence) => !sentences.includes(sentence))).toEqual([]);
  expect(calls.filter(({ spreads }) => spreads.some((name) => IDS_OF_DELIVERY.includes(name))).length).toBeGreaterThan(
    3,
  );
});

test('a line without them is found, beside another one of its file that has them', () => {
  const good = "log.warn({ err, ...idsOf(delivery) }, 'a try broke off; its delivery stays due');";
  const planted = [
    "log.warn({ err, deliveryId, messageId }, 'x');",
    "log.error({ err: failure }, 'a run failed by a fault of the service; it can be retried');",
    "deps.log.warn({ err }, 'Temporal was not told of a schedule; the next look tells it');",
    "log.warn('a circuit opened');",
  ];
  expect(lonelyIn(callsOf('good.ts', good))).toEqual([]);
  for (const text of planted) expect(lonelyIn(callsOf('planted.ts', `${good}\n${text}`))).toHaveLength(1);
});

test('a field under another name, or with an abbreviation, is found', () => {
  const planted =
    "deps.log.warn({ err: error, msgId: id, ...told }, 'x'); log[level]({ reqId }, 'y'); other.warn({ no: 1 });";
  expect(
    callsOf('planted.ts', planted)
      .flatMap(fieldsOf)
      .map(({ name }) => name),
  ).toEqual(['err', 'msgId', 'reqId']);
});

test('an error has the name err, under which a reader looks for it', () => {
  expect(written.filter(({ name }) => ['error', 'failure', 'cause', 'e'].includes(name))).toEqual([]);
});
