import type { Texts } from '../texts/en.ts';

/** Things of the place that a value may name. */
export type Named = 'channels' | 'webhooks' | 'workflows' | 'connectors' | 'operations' | 'connections';

/**
 * A member of a config that the form shows. `alias`: the member for one value of which this one has several. `label`: its words, where
 * they are not those of its name.
 */
export type DefinitionField = {
  name: string;
  label?: keyof Texts['definition']['fields'];
  alias?: string;
} & (
  | { kind: 'text' | 'lines' | 'duration' | 'number' | 'list' | 'channels' | 'json' | 'flag' }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'step'; words?: readonly string[] }
  | { kind: 'named'; of: Named }
);

/** Shown at once, and behind "More". */
export type DefinitionFields = { first: readonly DefinitionField[]; more: readonly DefinitionField[] };

const text = (name: string): DefinitionField => ({ name, kind: 'text' });
const lines = (name: string): DefinitionField => ({ name, kind: 'lines' });
const json = (name: string): DefinitionField => ({ name, kind: 'json' });
const duration = (name: string): DefinitionField => ({ name, kind: 'duration' });
const number = (name: string): DefinitionField => ({ name, kind: 'number' });
const list = (name: string, alias?: string): DefinitionField => ({
  name,
  kind: 'list',
  ...(alias !== undefined && { alias }),
});
const choice = (name: string, ...options: string[]): DefinitionField => ({ name, kind: 'choice', options });
const step = (name: string, ...words: string[]): DefinitionField => ({ name, kind: 'step', words });
const named = (name: string, of: Named): DefinitionField => ({ name, kind: 'named', of });

const types = list('eventTypes', 'eventType');
const channels: DefinitionField = { name: 'channelIds', kind: 'channels', alias: 'channelId' };
const gates = [json('dedupe'), json('concurrency'), json('cancelOn')];

/** Kinds of triggers, with what their configs may hold (docs/workflows.md). */
export const TRIGGERS = {
  event: { first: [types, channels, lines('filter')], more: gates },
  webhook: { first: [named('webhookId', 'webhooks'), types, lines('filter')], more: gates },
  schedule: {
    first: [text('cron'), duration('every'), text('timezone'), json('payload')],
    more: [
      choice('overlap', 'skip', 'bufferOne', 'bufferAll', 'cancelOther', 'terminateOther', 'allowAll'),
      duration('jitter'),
      duration('catchupWindow'),
      text('startAt'),
      text('endAt'),
    ],
  },
  manual: { first: [], more: [] },
} as const satisfies Record<string, DefinitionFields>;
export type TriggerKind = keyof typeof TRIGGERS;

const shared = [text('label'), lines('if'), json('onError'), json('output')];
/** Steps that ask somebody: each of their tries may fail. */
const tried = [...shared, duration('timeout'), json('retryPolicy')];

/** Kinds of steps, those of actions with their action, with what their configs may hold. */
export const STEPS = {
  'action:http': {
    first: [choice('method', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'), text('url'), json('body')],
    more: [json('headers'), json('query'), json('auth'), json('expectStatus'), ...tried],
  },
  'action:publish': {
    first: [named('channelId', 'channels'), text('eventType'), json('payload')],
    more: [json('metadata'), text('idempotencyKey'), ...tried],
  },
  'action:connector': {
    first: [
      named('connectorId', 'connectors'),
      named('operation', 'operations'),
      named('connectionId', 'connections'),
      json('params'),
    ],
    more: tried,
  },
  'action:log': { first: [lines('text')], more: shared },
  condition: {
    first: [lines('expression'), { ...step('then'), label: 'ifTrue' }, { ...step('else'), label: 'ifFalse' }],
    more: shared,
  },
  switch: { first: [json('cases'), step('default')], more: shared },
  filter: { first: [lines('expression')], more: shared },
  transform: { first: [json('set'), json('assign')], more: shared },
  delay: { first: [duration('for'), text('until')], more: shared },
  wait_for_event: {
    first: [
      types,
      channels,
      lines('filter'),
      json('match'),
      duration('timeout'),
      step('onTimeout', 'continue', 'fail'),
    ],
    more: [duration('lookback'), ...shared],
  },
  approval: {
    first: [text('title'), lines('message'), list('approvers'), step('approved'), step('rejected')],
    more: [json('form'), duration('timeout'), choice('onTimeout', 'reject', 'approve', 'fail'), ...shared],
  },
  workflow: {
    first: [named('workflowId', 'workflows'), json('input'), { name: 'wait', kind: 'flag' }],
    more: [duration('timeout'), ...shared],
  },
  foreach: {
    first: [
      lines('items'),
      { ...step('body'), label: 'loop' },
      { ...number('concurrency'), label: 'atATime' },
      lines('collect'),
    ],
    more: [number('maxItems'), choice('onItemError', 'fail', 'continue'), ...shared],
  },
  parallel: { first: [list('branches'), choice('mode', 'all', 'race')], more: shared },
  end: {
    first: [choice('status', 'completed', 'failed', 'cancelled'), json('error'), json('output')],
    more: [{ name: 'deadLetter', kind: 'flag' }, text('label'), lines('if')],
  },
} as const satisfies Record<string, DefinitionFields>;
export type StepKind = keyof typeof STEPS;

/** A value of each field that is written by hand, by its label: its form cannot be guessed. */
export const EXAMPLES: Readonly<Record<string, string | undefined>> = {
  eventTypes: 'order.created, order.paid',
  filter: 'payload.amount > 100',
  dedupe: '{"key": "event.payload.changeId", "window": "1h"}',
  concurrency: '{"limit": 1, "onLimit": "queue"}',
  cron: '0 9 * * 1-5',
  every: '15m',
  timezone: 'Europe/Berlin',
  jitter: '30s',
  catchupWindow: '1h',
  startAt: '2026-05-07T14:00:00Z',
  endAt: '2026-05-07T14:00:00Z',
  url: 'https://',
  body: '{"order": "{{ event.payload.number }}"}',
  payload: '{"number": 7}',
  headers: '{"X-Shop": "7"}',
  query: '{"page": "1"}',
  auth: '{"type": "bearer", "token": "{{ secrets.CRM_TOKEN }}"}',
  expectStatus: '[200, 404]',
  metadata: '{"source": "workflow"}',
  text: 'An order of {{ event.payload.total }}',
  expression: 'event.payload.total > 100',
  if: 'event.payload.total > 100',
  set: '{"net": "{{ event.payload.total / 1.19 }}"}',
  assign: '{"country": "{{ event.payload.country }}"}',
  for: '5s, 10m, 2h',
  until: '2026-05-07T14:00:00Z',
  timeout: '30s',
  lookback: '1h',
  items: 'event.payload.lines',
  collect: 'steps.reserve.output.body.shelf',
  input: '{"order": "{{ event.payload.number }}"}',
  onError: '"continue"',
  output: '{"total": "{{ event.payload.total }}"}',
  retryPolicy: '{"maxRetries": 3, "initialDelay": 1000}',
};

const NONE: DefinitionFields = { first: [], more: [] };

/** The fields of a kind; none of one that is not known here, whose config only the JSON shows. */
export const triggerFields = (kind: string): DefinitionFields =>
  Object.hasOwn(TRIGGERS, kind) ? TRIGGERS[kind as TriggerKind] : NONE;
export const stepFields = (kind: string): DefinitionFields =>
  Object.hasOwn(STEPS, kind) ? STEPS[kind as StepKind] : NONE;

/** Members that fields stand for. */
export const namesOf = ({ first, more }: DefinitionFields): string[] =>
  [...first, ...more].flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
