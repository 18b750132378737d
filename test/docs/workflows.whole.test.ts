import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { stepConfigOf } from '../../src/automations/definitions/configs/steps.ts';
import { triggerConfigOf } from '../../src/automations/definitions/configs/triggers.ts';
import { ACTIONS, STEP_TYPES, TRIGGER_TYPES } from '../../src/kernel/contract/run-outline.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf, tableRowsOf } from './code-blocks.ts';

type Step = { id: string; type: string; config: { action?: string } };
type Example = { name: string; trigger: { type: string }; steps: Step[] };

const REFERENCE = 'docs/reference/workflow-definition.md';

const examples = ['docs/guides/workflows.md', REFERENCE]
  .flatMap(codeBlocksOf)
  .filter(({ language, text }) => language === 'json' && text.includes('"trigger"'))
  .map(({ page, line, text }) => ({ page, line, text, example: JSON.parse(text) as Example }));

/** An event that leads through as many steps of each example as one can, and mocks of those that need a result of their own. */
const TRIED: Record<string, { event: object; mocks?: object; steps: string[] }> = {
  'Large orders': {
    event: { eventType: 'order.created', payload: { total: 120 } },
    mocks: { crm: { output: { status: 200, headers: {}, body: { id: 'deal-7' } } } },
    steps: ['crm', 'done'],
  },
  'Recalculate the price list': { event: { payload: { shop: 'a', changeId: 1 } }, steps: ['note'] },
  'A run has failed': { event: { payload: { runId: 'run_…', stepId: 'charge' } }, steps: ['note'] },
  'Ask for a review': { event: { payload: { orderId: 'A-17' } }, steps: ['later', 'ask'] },
  'Daily report': { event: { payload: { list: 'open' } }, steps: ['note'] },
  'Order desk': {
    event: { payload: { id: 'A-17', status: 'paid', total: 1_190, country: 'AT', lines: [{ sku: 1 }, { sku: 2 }] } },
    mocks: { reserve: { output: { status: 200, headers: {}, body: { shelf: 'C' } } } },
    steps: ['paid', 'sum', 'where', 'large', 'each', 'reserve', 'reserve', 'later', 'both', 'tell', 'note', 'done'],
  },
  'Unpaid invoice': { event: { payload: { invoiceId: 'I-7' } }, steps: ['paid', 'check', 'remind'] },
  Collections: {
    event: { payload: { invoiceId: 'I-7' } },
    mocks: { ask: { output: { decision: 'approved', by: 'ann', data: { amount: 12.5 } } } },
    steps: ['ask', 'collect'],
  },
  'Two prices': { event: { payload: { total: 200 } }, steps: ['which', 'large', 'note'] },
  'Charge or refund': {
    event: { payload: { id: 'A-17' } },
    steps: ['charge', 'ship'],
  },
  'Close the month': { event: { payload: { customers: ['a', 'b'] } }, steps: ['each', 'bill', 'bill'] },
};

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
/** Ids for the places that the page leaves open, by the fields that hold them. */
let ids: Record<string, string>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  const channelId = await calls.channel();
  const webhook = { name: 'shop', channelId, scheme: 'github', secrets: ['0123456789abcdef0123456789abcdef'] };
  ids = {
    channelId,
    webhookId: (await calls.good<{ id: string }>('POST', '/v1/webhooks', webhook)).id,
    workflowId: await calls.activate({ type: 'manual' }, [{ id: 'end', type: 'end' }]),
  };
  await calls.good('POST', '/v1/secrets', { name: 'DISCORD', value: 'https://discord.example.com/webhook' });
});
afterAll(async () => {
  await posthorn.stop();
});

describe('the reference', () => {
  const fieldsOf = (schema: unknown): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
  const namesIn = (cell: string): string[] => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  const rows = (section: string): [string[], string[]][] =>
    tableRowsOf(REFERENCE, section).map(([name = '', fields = '']) => [namesIn(name), namesIn(fields)]);
  const common = fieldsOf(stepConfigOf('filter', {})).filter((name) => name !== 'expression');

  test('has a row for each kind of step and action, with every field that it has of its own', () => {
    const kinds = rows('Steps').filter(([[type]]) => STEP_TYPES.some((known) => known === type));
    const wanted: string[][] = [
      ...STEP_TYPES.filter((type) => type !== 'action').map((type) => [type]),
      ...ACTIONS.map((action) => ['action', action]),
    ];
    expect(kinds.map(([names]) => names)).toEqual(expect.arrayContaining(wanted));
    for (const [[type = 'end', action], shown] of kinds) {
      // `as`: the rows were chosen by it.
      const fields = fieldsOf(stepConfigOf(type as (typeof STEP_TYPES)[number], { action }));
      const own = fields.filter((name) => !common.includes(name) && name !== 'action');
      expect([type, action, own.filter((name) => !shown.includes(name))]).toEqual([type, action, []]);
    }
    expect(rows('Steps').map(([[name]]) => name)).toEqual(expect.arrayContaining(common));
  });

  test('has a row for each trigger, with every field that it has', () => {
    for (const [[type = ''], shown] of rows('Triggers').filter(([[name]]) =>
      TRIGGER_TYPES.some((known) => known === name),
    )) {
      const fields = fieldsOf(triggerConfigOf(type as (typeof TRIGGER_TYPES)[number]));
      const refused = ['debounce', 'batch', 'rateLimit', 'source'];
      expect([type, fields.filter((name) => !shown.includes(name) && !refused.includes(name))]).toEqual([type, []]);
    }
  });
});

test('the examples have every kind of trigger, step and action', () => {
  const steps = examples.flatMap(({ example }) => example.steps);
  expect(new Set(examples.map(({ example }) => example.trigger.type))).toEqual(new Set(TRIGGER_TYPES));
  expect(new Set(steps.map(({ type }) => type))).toEqual(new Set(STEP_TYPES));
  expect(new Set(steps.flatMap(({ config }) => config.action ?? []))).toEqual(new Set(ACTIONS));
  expect(examples.map(({ example }) => example.name).toSorted()).toEqual(Object.keys(TRIED).toSorted());
});

describe.each(examples.map(({ page, line, text, example }) => ({ page, line, text, name: example.name })))(
  '$page:$line, $name',
  ({ text, name }) => {
    test('can be activated, and takes its steps in a trial', async () => {
      const real = text.replaceAll(/"(\w+Id)": "\w+_…"/g, (_, field: string) => `"${field}": "${ids[field]}"`);
      const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', JSON.parse(real));
      await calls.good('POST', `/v1/workflows/${id}/activate`);
      const { steps: wanted, ...given } = TRIED[name] ?? { event: {}, steps: [] };
      const trial = await calls.good<{ status: string; steps: Step[] }>('POST', `/v1/workflows/${id}/test`, given);
      expect(trial.status).toBe('completed');
      expect(trial.steps.filter(({ type }) => type !== 'item').map((step) => step.id)).toEqual(wanted);
    });
  },
);
