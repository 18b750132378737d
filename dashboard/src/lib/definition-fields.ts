/** Things of the environment that a value may name. */
export type Named = 'channels' | 'webhooks' | 'workflows' | 'connectors' | 'operations' | 'connections';

/**
 * A member of a config that the editor shows. `alias`: the member that holds a single value in place of the list.
 * `label`: the key of its wording, if it differs from the member's name.
 */
export type DefinitionField = { name: string; label?: string; alias?: string } & (
  | {
      kind:
        | 'plain'
        | 'template'
        | 'templates'
        | 'cel'
        | 'duration'
        | 'number'
        | 'list'
        | 'channels'
        | 'json'
        | 'auth'
        | 'policy';
    }
  | { kind: 'choice'; options: readonly string[] }
  /** `isOn`: the value that applies if the member is absent. */
  | { kind: 'flag'; isOn: boolean }
  | { kind: 'named'; of: Named }
  /** A transition to another step, shown in the Flow tab. */
  | { kind: 'way' }
);

/** Where a field is shown: at once, under Advanced, or in the Flow tab. */
export type DefinitionFields = {
  first: readonly DefinitionField[];
  more: readonly DefinitionField[];
  flow: readonly DefinitionField[];
};

const plain = (name: string): DefinitionField => ({ name, kind: 'plain' });
const template = (name: string): DefinitionField => ({ name, kind: 'template' });
const templates = (name: string): DefinitionField => ({ name, kind: 'templates' });
const cel = (name: string): DefinitionField => ({ name, kind: 'cel' });
const json = (name: string): DefinitionField => ({ name, kind: 'json' });
const duration = (name: string): DefinitionField => ({ name, kind: 'duration' });
const number = (name: string): DefinitionField => ({ name, kind: 'number' });
const way = (name: string): DefinitionField => ({ name, kind: 'way' });
const list = (name: string, alias?: string): DefinitionField => ({
  name,
  kind: 'list',
  ...(alias !== undefined && { alias }),
});
const choice = (name: string, ...options: string[]): DefinitionField => ({ name, kind: 'choice', options });
const named = (name: string, of: Named): DefinitionField => ({ name, kind: 'named', of });

const types = list('eventTypes', 'eventType');
const channels: DefinitionField = { name: 'channelIds', kind: 'channels', alias: 'channelId' };
const gates = [json('dedupe'), json('concurrency'), json('cancelOn')];

/** Kinds of triggers, with the members that their configs may have (docs/reference/workflow-definition.md). */
export const TRIGGERS = {
  event: { first: [types, channels, cel('filter')], more: gates, flow: [] },
  webhook: { first: [named('webhookId', 'webhooks'), types, cel('filter')], more: gates, flow: [] },
  schedule: {
    first: [plain('cron'), duration('every'), plain('timezone'), json('payload')],
    more: [
      choice('overlap', 'skip', 'bufferOne', 'bufferAll', 'cancelOther', 'terminateOther', 'allowAll'),
      duration('jitter'),
      duration('catchupWindow'),
      plain('startAt'),
      plain('endAt'),
    ],
    flow: [],
  },
  manual: { first: [], more: [json('inputSchema')], flow: [] },
} as const satisfies Record<string, DefinitionFields>;
export type TriggerKind = keyof typeof TRIGGERS;

const shared = [json('output'), plain('label')];
const flow = [cel('if'), way('onError')];
/** Steps that call another party, so each of their attempts may fail. */
const tried: readonly DefinitionField[] = [...flow, { name: 'retryPolicy', kind: 'policy' }];

/** Kinds of steps (actions with their action), with the members that their configs may have. */
export const STEPS = {
  'action:http': {
    first: [
      choice('method', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
      template('url'),
      { name: 'auth', kind: 'auth' },
      json('body'),
    ],
    more: [json('headers'), json('query'), json('expectStatus'), duration('timeout'), ...shared],
    flow: tried,
  },
  'action:publish': {
    first: [named('channelId', 'channels'), template('eventType'), json('payload')],
    more: [json('metadata'), template('idempotencyKey'), duration('timeout'), ...shared],
    flow: tried,
  },
  'action:connector': {
    first: [
      named('connectorId', 'connectors'),
      named('operation', 'operations'),
      named('connectionId', 'connections'),
      json('params'),
    ],
    more: [duration('timeout'), ...shared],
    flow: tried,
  },
  'action:log': { first: [templates('text')], more: shared, flow },
  condition: { first: [cel('expression')], more: shared, flow: [way('then'), way('else'), ...flow] },
  switch: { first: [json('cases')], more: shared, flow: [way('default'), ...flow] },
  filter: { first: [cel('expression')], more: shared, flow },
  transform: { first: [json('set'), json('assign')], more: shared, flow },
  delay: { first: [duration('for'), template('until')], more: shared, flow },
  wait_for_event: {
    first: [types, channels, cel('filter'), json('match'), duration('timeout')],
    more: [duration('lookback'), ...shared],
    flow: [way('onTimeout'), ...flow],
  },
  approval: {
    first: [template('title'), templates('message'), list('approvers'), duration('timeout')],
    more: [json('form'), ...shared],
    flow: [way('approved'), way('rejected'), way('onTimeout'), ...flow],
  },
  workflow: {
    first: [named('workflowId', 'workflows'), json('input'), { name: 'wait', kind: 'flag', isOn: true }],
    more: [duration('timeout'), ...shared],
    flow,
  },
  foreach: {
    first: [cel('items'), { ...number('concurrency'), label: 'atATime' }, cel('collect')],
    more: [number('maxItems'), choice('onItemError', 'fail', 'continue'), ...shared],
    flow: [way('body'), ...flow],
  },
  parallel: { first: [choice('mode', 'all', 'race')], more: shared, flow: [way('branches'), ...flow] },
  end: {
    first: [choice('status', 'completed', 'failed', 'cancelled'), json('error'), json('output')],
    more: [{ name: 'deadLetter', kind: 'flag', isOn: true }, plain('label')],
    flow: [cel('if')],
  },
} as const satisfies Record<string, DefinitionFields>;
export type StepKind = keyof typeof STEPS;

const NONE: DefinitionFields = { first: [], more: [], flow: [] };

/** Returns the fields of a kind. A kind not listed here has none: its config appears only as JSON. */
export const triggerFields = (kind: string): DefinitionFields =>
  Object.hasOwn(TRIGGERS, kind) ? TRIGGERS[kind as TriggerKind] : NONE;
export const stepFields = (kind: string): DefinitionFields =>
  Object.hasOwn(STEPS, kind) ? STEPS[kind as StepKind] : NONE;

/** Returns the members that are shown as fields. */
export const namesOf = ({ first, more, flow: ways }: DefinitionFields): string[] =>
  [...first, ...more, ...ways].flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
