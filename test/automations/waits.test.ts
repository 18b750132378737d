import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPlans } from '../../src/automations/engine/plans.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { createBeginByServiceEvents } from '../../src/publishing/begin-by-service-events.ts';
import { createRouteHeard } from '../../src/automations/waking/route-heard.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, stepOf, type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let invoices: string;
let others: string;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  invoices = await calls.channel();
  others = await calls.channel();
});
afterAll(() => posthorn.stop());

const sent = { type: 'event', config: { eventTypes: ['invoice.sent'] } };
const OF_THE_INVOICE = [{ event: 'event.payload.invoice', run: 'event.payload.invoice' }];
const paid = (config: object = {}): Step => ({
  id: 'paid',
  type: 'wait_for_event',
  config: { eventTypes: ['invoice.paid', 'invoice.voided'], match: OF_THE_INVOICE, ...config },
});
const last: Step = { id: 'last', type: 'action', config: { action: 'log', event: '{{ steps.paid.output.event }}' } };
let invoice = 0;
const newInvoice = (): string => `I-${(invoice += 1)}`;
const waiting = (id: string): Promise<RunAnswer> =>
  waitFor('the run to wait', async () => {
    const run = await calls.getRun(id);
    return run.status === 'waiting' && run;
  });
/** A run of a workflow of its own that waits for the payment of an invoice of its own. */
async function waitingRun(config: object = {}): Promise<{ run: RunAnswer; of: string; workflowId: string }> {
  const of = newInvoice();
  const workflowId = await calls.activate({ type: 'manual' }, [paid(config), last]);
  const { id } = await calls.start(workflowId, { invoice: of });
  return { run: await waiting(id), of, workflowId };
}
const openWaits = async (runId: string): Promise<number> =>
  (await posthorn.deps.pool.query('SELECT FROM run_waits WHERE run_id = $1 AND message_id IS NULL', [runId]))
    .rowCount ?? 0;
const notes = async (): Promise<number> => (await posthorn.deps.pool.query('SELECT FROM heard_messages')).rowCount ?? 0;

test('a run waits for the message of its own invoice, and goes on with it', async () => {
  const of = newInvoice();
  const workflowId = await calls.activate(sent, [paid(), last]);
  await calls.publish(invoices, { invoice: of }, 'invoice.sent');
  const { id } = await calls.onlyRun(workflowId);
  const step = stepOf(await waiting(id), 'paid');
  expect(step).toMatchObject({
    status: 'waiting',
    input: { eventTypes: ['invoice.paid', 'invoice.voided'], channelIds: [], values: [of] },
  });
  const inDays = (Date.parse((step.input as { until: string }).until) - Date.now()) / 86_400_000;
  expect(inDays).toBeGreaterThan(6.9);
  expect(inDays).toBeLessThanOrEqual(7);

  await calls.publish(invoices, { invoice: newInvoice() }, 'invoice.paid');
  await calls.publish(invoices, { invoice: of }, 'invoice.reminded');
  const messageId = await calls.publish(others, { invoice: of, amount: 12 }, 'invoice.paid');
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  const event = { id: messageId, eventType: 'invoice.paid', channelId: others, payload: { invoice: of, amount: 12 } };
  expect(stepOf(run, 'paid').output).toMatchObject({ matched: true, event });
  expect(stepOf(run, 'last').output).toMatchObject({ event });
  await waitFor('all notes to be taken away', async () => (await notes()) === 0);
});

test('a message that came after the run began and before the wait did is found', async () => {
  const of = newInvoice();
  const pause: Step = { id: 'pause', type: 'delay', config: { for: '1s' } };
  const workflowId = await calls.activate({ type: 'manual' }, [pause, paid(), last]);
  const { id } = await calls.start(workflowId, { invoice: of });
  const messageId = await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  expect(stepOf(await calls.ended(id), 'paid').output).toMatchObject({ matched: true, event: { id: messageId } });
});

test('lookback finds an earlier message, and without it none that is older than the run', async () => {
  const of = newInvoice();
  const messageId = await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  const { rows } = await posthorn.deps.pool.query<{ late: boolean }>('SELECT pg_sleep(1.2) IS NULL AS late');
  expect(rows).toHaveLength(1);
  const workflowId = await calls.activate({ type: 'manual' }, [paid({ timeout: '1s' })]);
  const late = await calls.ended((await calls.start(workflowId, { invoice: of })).id);
  expect(stepOf(late, 'paid').output).toEqual({ matched: false, event: null });
  const looking = await calls.activate({ type: 'manual' }, [paid({ lookback: '1h' })]);
  const found = await calls.ended((await calls.start(looking, { invoice: of })).id);
  expect(stepOf(found, 'paid').output).toMatchObject({ matched: true, event: { id: messageId } });
});

test('channels, wildcards and a filter narrow it, and values are compared as values', async () => {
  const { run, of } = await waitingRun({
    channelId: invoices,
    eventTypes: ['invoice.*'],
    filter: 'event.payload.amount > 10.0 && payload.tags.size() > 0',
    match: [...OF_THE_INVOICE, { event: 'event.payload.of', run: '{"a": 1, "b": [2, "3"]}' }],
  });
  const fitting = { invoice: of, amount: 11, tags: ['x'], of: { b: [2, '3'], a: 1 } };
  await calls.publish(others, fitting, 'invoice.paid');
  await calls.publish(invoices, fitting, 'order.paid');
  await calls.publish(invoices, { ...fitting, amount: 10 }, 'invoice.paid');
  await calls.publish(invoices, { ...fitting, of: { a: 1, b: ['3', 2] } }, 'invoice.paid');
  await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  const messageId = await calls.publish(invoices, fitting, 'invoice.paid');
  expect(stepOf(await calls.ended(run.id), 'paid').output).toMatchObject({ event: { id: messageId } });
});

test('a wait whose time is over goes on, fails, or goes elsewhere, as its author says', async () => {
  const late: Step = { id: 'late', type: 'action', config: {} };
  const start = async (onTimeout: string, steps: Step[]) => {
    const wait = paid({ timeout: '1s', onTimeout });
    const workflowId = await calls.activate({ type: 'manual' }, [wait, ...steps]);
    return (await calls.start(workflowId, { invoice: newInvoice() })).id;
  };
  const ids = await Promise.all([start('continue', [last]), start('fail', [last]), start('late', [late])]);
  const [on, failed, elsewhere] = await Promise.all(ids.map((id) => calls.ended(id)));
  expect(on).toMatchObject({ status: 'completed' });
  expect(stepOf(on!, 'paid').output).toEqual({ matched: false, event: null });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'WAIT_TIMEOUT', stepId: 'paid' } });
  expect(stepOf(elsewhere!, 'late').status).toBe('completed');

  // A retry waits anew, and finds what has come since.
  const of = (failed as unknown as { steps: { input: { values: string[] } }[] }).steps[0]?.input.values[0];
  const messageId = await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  await calls.good('POST', `/v1/runs/${failed!.id}/retry`);
  const retried = await calls.ended(failed!.id);
  expect(retried.status).toBe('completed');
  expect(stepOf(retried, 'paid').output).toMatchObject({ event: { id: messageId } });
});

test('two waits of one run take two messages', async () => {
  const of = newInvoice();
  const workflowId = await calls.activate({ type: 'manual' }, [paid(), { ...paid(), id: 'again' }]);
  const { id } = await calls.start(workflowId, { invoice: of });
  await waiting(id);
  const first = await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  await waitFor('the second wait', async () => {
    const { steps } = await calls.getRun(id);
    return steps.find((step) => step.id === 'again')?.status === 'waiting';
  });
  const second = await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  const run = await calls.ended(id);
  expect(stepOf(run, 'paid').output).toMatchObject({ event: { id: first } });
  expect(stepOf(run, 'again').output).toMatchObject({ event: { id: second } });
});

test('one message ends the waits of all runs that wait for it, and of items of a loop each its own', async () => {
  const of = newInvoice();
  const wait = paid({ match: [{ event: 'event.payload.invoice', run: 'event.payload.invoice' }] });
  const workflowId = await calls.activate({ type: 'manual' }, [wait]);
  const runs = await Promise.all([1, 2, 3].map(() => calls.start(workflowId, { invoice: of })));
  await Promise.all(runs.map(({ id }) => waiting(id)));
  const each = paid({ match: [{ event: 'event.payload.invoice', run: 'item' }] });
  const looping = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: 'event.payload.of', body: 'paid', concurrency: 3 } },
    each,
  ]);
  const items = [newInvoice(), newInvoice(), newInvoice()];
  const loop = await calls.start(looping, { of: items });
  await waitFor('three waits', async () => (await openWaits(loop.id)) === 3);
  await waiting(loop.id);

  for (const item of [of, ...items.toReversed()]) await calls.publish(invoices, { invoice: item }, 'invoice.paid');
  for (const { id } of runs) expect((await calls.ended(id)).status).toBe('completed');
  const looped = await calls.ended(loop.id);
  for (const [index, item] of items.entries())
    expect(stepOf(looped, 'paid', String(index)).output).toMatchObject({ event: { payload: { invoice: item } } });
});

test('a run of an earlier version gets its message, and one that was cancelled gets none', async () => {
  const { run, of, workflowId } = await waitingRun();
  await calls.good('PATCH', `/v1/workflows/${workflowId}`, { steps: [paid({ eventTypes: ['invoice.lost'] })] });
  const cancelled = await waitingRun();
  await calls.good('POST', `/v1/runs/${cancelled.run.id}/cancel`);
  for (const each of [cancelled.of, of]) await calls.publish(invoices, { invoice: each }, 'invoice.paid');
  expect((await calls.ended(run.id)).status).toBe('completed');
  expect(stepOf(await calls.getRun(cancelled.run.id), 'paid').status).toBe('cancelled');
  // The reconciler may have taken its wait away.
  const taken = await posthorn.deps.pool.query('SELECT FROM run_waits WHERE run_id = $1 AND message_id IS NOT NULL', [
    cancelled.run.id,
  ]);
  expect(taken.rowCount).toBe(0);
});

test('a lost history goes on waiting, and nothing is lost between two rounds', async () => {
  const { run, of } = await waitingRun();
  await posthorn.deps.pool.query(
    `UPDATE runs SET round = 2, status = 'pending', carrier = NULL, holder = NULL, due_at = now() + interval '1 hour' WHERE id = $1`,
    [run.id],
  );
  await posthorn.temporal.workflow.getHandle(`run/${run.id}/1`).terminate('the test takes its history away');
  const messageId = await calls.publish(invoices, { invoice: of }, 'invoice.paid');
  await waitFor('the note to be taken away', async () => (await notes()) === 0);
  await posthorn.deps.pool.query('UPDATE runs SET due_at = now() WHERE id = $1', [run.id]);
  expect(stepOf(await calls.ended(run.id), 'paid').output).toMatchObject({ event: { id: messageId } });
});

test.each<[string, Step]>([
  ['a delay', { id: 'paid', type: 'delay', config: { for: '1h' } }],
  ['a wait for a message', paid()],
])('%s that goes on in another round takes no place of a worker', async (_, step) => {
  const workflowId = await calls.activate({ type: 'manual' }, [step]);
  const { id } = await waiting((await calls.start(workflowId, { invoice: newInvoice() })).id);
  const { pool } = posthorn.deps;
  const waitingIn = (round: number): Promise<unknown> =>
    waitFor('the run to wait in its round', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM runs WHERE id = $1 AND round = $2 AND status = 'waiting' AND holder IS NULL`,
        [id, round],
      );
      return rowCount === 1;
    });
  await pool.query(
    `UPDATE runs SET round = 2, status = 'pending', carrier = NULL, holder = NULL, due_at = now() WHERE id = $1`,
    [id],
  );
  await waitingIn(2);
  await calls.good('POST', `/v1/runs/${id}/cancel`);
  await calls.good('POST', `/v1/runs/${id}/retry`);
  await waitingIn(3);
  expect(stepOf(await calls.getRun(id), 'paid').status).toBe('waiting');
});

test('a definition that cannot be read keeps no message from the runs of others', async () => {
  const [unreadable, readable] = [await waitingRun(), await waitingRun()];
  const { pool } = posthorn.deps;
  const findVersion = async (workflowId: string) => {
    if (workflowId === unreadable.workflowId) throw new Error('no such form');
    const { rows } = await pool.query<{ trigger: string; steps: string }>(
      'SELECT trigger, steps FROM workflow_versions WHERE workflow_id = $1',
      [workflowId],
    );
    return { name: 'test', trigger: '{"type":"manual"}', steps: '[]', ...rows[0] };
  };
  const told: unknown[] = [];
  const log = { error: (fields: { workflowId: string }) => told.push(fields.workflowId) };
  await posthorn.worker.stop();
  try {
    const messageId = await calls.publish(invoices, { invoice: readable.of }, 'invoice.paid');
    const routeHeard = createRouteHeard({
      crashes: posthorn.deps.crashes,
      pool,
      beginByServiceEvents: createBeginByServiceEvents(posthorn.deps),
      log,
      plans: createPlans(findVersion),
      expressions: createStepExpressions(),
      filters: posthorn.deps.filters,
    });
    await routeHeard();
    const { rows } = await pool.query('SELECT message_id FROM run_waits WHERE run_id = $1', [readable.run.id]);
    expect(rows).toEqual([{ message_id: messageId }]);
    expect(new Set(told)).toEqual(new Set([unreadable.workflowId]));
  } finally {
    await posthorn.worker.start();
  }
  expect((await calls.ended(readable.run.id)).status).toBe('completed');
});

test('messages that no step listens to leave no note', async () => {
  await posthorn.deps.pool.query('CREATE TABLE noted AS SELECT message_id FROM heard_messages');
  await posthorn.deps.pool.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO noted VALUES (NEW.message_id); RETURN NEW; END $$`);
  await posthorn.deps.pool.query(
    'CREATE TRIGGER note AFTER INSERT ON heard_messages FOR EACH ROW EXECUTE FUNCTION note()',
  );
  await calls.publish(invoices, {}, 'order.created');
  const heard = await calls.publish(invoices, {}, 'invoice.paid');
  const { rows } = await posthorn.deps.pool.query('SELECT message_id AS id FROM noted');
  expect(rows).toEqual([{ id: heard }]);
});

test.each([
  [{ match: [{ event: 'event.payload.id', run: 'steps.later.output' }] }, 'match[0].run', 'not available'],
  [{ match: [{ event: 'run.id', run: 'run.id' }] }, 'match[0].event', 'nothing of the run: run'],
  [{ match: [{ event: 'event.payload.', run: '1' }] }, 'match[0].event', '1:'],
  [{ match: Array.from({ length: 4 }, () => OF_THE_INVOICE[0]) }, 'match', ''],
  [{ eventTypes: undefined }, 'config', 'must name event types or channels'],
  [{ eventType: 'a' }, 'config.eventType', 'must be left out beside eventTypes'],
  [{ eventTypes: ['a*'] }, 'eventTypes[0]', 'a * may only stand'],
  [{ channelIds: ['chn_00000000000000000000000000'] }, 'channelIds[0]', 'no such channel'],
  [{ channelId: 'chn_00000000000000000000000000' }, 'config.channelId', 'no such channel'],
  [{ filter: 'payload.a.b(' }, 'config.filter', ''],
  [{ timeout: '2y' }, 'config.timeout', 'is not a duration'],
  [{ timeout: '366d' }, 'config.timeout', 'at most 365d'],
  [{ onTimeout: 'nobody' }, 'config.onTimeout', 'references unknown step "nobody"'],
])('%j is refused with its field and the reason', async (config, field, reason) => {
  const { body } = await posthorn.request<{ error: { details: { field: string; reason: string } } }>(
    'POST',
    '/v1/workflows',
    { name: 'wrong', trigger: { type: 'manual' }, steps: [paid(config)] },
  );
  expect(body.error.details.field).toContain(field);
  expect(body.error.details.field).toContain('steps[0]');
  expect(body.error.details.reason).toContain(reason);
});
