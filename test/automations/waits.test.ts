import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findOfRun } from '../../src/automations/approvals/store.ts';
import { createPlans } from '../../src/automations/engine/plans.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { createRouteHeard } from '../../src/automations/waking/route-heard.ts';
import { createBeginByServiceEvents } from '../../src/messaging/publishing/begin-by-service-events.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('waits', () => {
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
  const notes = async (): Promise<number> =>
    (await posthorn.deps.pool.query('SELECT FROM awaited_messages')).rowCount ?? 0;

  test('a run waits for the message of its own invoice, and continues with it', async () => {
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

  test('a message that came after the run started and before the wait did is found', async () => {
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

  test('channels, wildcards and a filter narrow the wait, and values are compared as values', async () => {
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

  test('a wait that times out continues, fails, or branches, as its author says', async () => {
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

  test('two waits of one run receive two messages', async () => {
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

  test('one message ends the waits of all runs that wait for it, and each item of a loop waits for its own', async () => {
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

  test('a run of an earlier version receives its message, and a cancelled one receives none', async () => {
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

  test('a run whose history is lost keeps waiting, and no message is lost between two rounds', async () => {
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
  ])('%s that continues in another round uses no slot of a worker', async (_, step) => {
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

  test('a definition that cannot be read withholds no message from the runs of others', async () => {
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

  test('messages that no step waits for leave no queue entry', async () => {
    await posthorn.deps.pool.query('CREATE TABLE noted AS SELECT message_id FROM awaited_messages');
    await posthorn.deps.pool.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO noted VALUES (NEW.message_id); RETURN NEW; END $$`);
    await posthorn.deps.pool.query(
      'CREATE TRIGGER note AFTER INSERT ON awaited_messages FOR EACH ROW EXECUTE FUNCTION note()',
    );
    await calls.publish(invoices, {}, 'order.created');
    const heard = await calls.publish(invoices, {}, 'invoice.paid');
    const { rows } = await posthorn.deps.pool.query('SELECT message_id AS id FROM noted');
    expect(rows).toEqual([{ id: heard }]);
  });

  test.each([
    [{ match: [{ event: 'event.payload.id', run: 'steps.later.output' }] }, 'match[0].run', 'not available'],
    [{ match: [{ event: 'run.id', run: 'run.id' }] }, 'match[0].event', 'not the run: run'],
    [{ match: [{ event: 'event.payload.', run: '1' }] }, 'match[0].event', '1:'],
    [{ match: Array.from({ length: 4 }, () => OF_THE_INVOICE[0]) }, 'match', ''],
    [{ eventTypes: undefined }, 'config', 'must have event types or channels'],
    [{ eventType: 'a' }, 'config.eventType', 'must be left out if eventTypes is set'],
    [{ eventTypes: ['a*'] }, 'eventTypes[0]', 'must have a * only alone'],
    [{ channelIds: ['chn_00000000000000000000000000'] }, 'channelIds[0]', 'must be the id of a channel'],
    [{ channelId: 'chn_00000000000000000000000000' }, 'config.channelId', 'must be the id of a channel'],
    [{ filter: 'payload.a.b(' }, 'config.filter', ''],
    [{ timeout: '2y' }, 'config.timeout', 'must be a duration'],
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
});

describe('cancel on', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let orders: string;
  let others: string;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    orders = await calls.channel();
    others = await calls.channel();
  });

  let number = 0;
  const newOrder = (): string => `O-${(number += 1)}`;
  const OF_THE_ORDER = [{ event: 'event.payload.order', run: 'event.payload.order' }];
  const placed = (config: object = {}) => ({
    type: 'event',
    config: {
      channelId: orders,
      eventTypes: ['order.placed'],
      cancelOn: [{ eventTypes: ['order.cancelled', 'order.refunded'], match: OF_THE_ORDER }],
      ...config,
    },
  });
  const wait: Step = { id: 'wait', type: 'delay', config: { for: '1h' } };
  const note: Step = { id: 'note', type: 'action', config: { action: 'log', text: 'noted' } };

  const place = (order: string): Promise<string> => calls.publish(orders, { order }, 'order.placed');
  const waiting = (id: string): Promise<RunAnswer> =>
    waitFor('the run to wait', async () => {
      const run = await calls.getRun(id);
      return run.status === 'waiting' && run;
    });

  test('a message cancels the runs of its order, whatever they wait for, and no others', async () => {
    const [mine, another] = [newOrder(), newOrder()];
    const workflowId = await calls.activate(placed(), [note, wait]);
    await place(mine);
    const run = await waiting((await calls.onlyRun(workflowId)).id);
    await place(another);
    const messageId = await calls.publish(others, { order: mine }, 'order.cancelled');
    const cancelled = await calls.ended(run.id);
    expect(cancelled).toMatchObject({ status: 'cancelled', reason: `cancelled by the message ${messageId}` });
    expect(stepOf(cancelled, 'note').status).toBe('completed');
    expect(stepOf(cancelled, 'wait').status).toBe('cancelled');
    const left = await waitFor('the run of the other order to wait', async () =>
      (await calls.runsOf(workflowId)).find(({ id, status }) => id !== run.id && status === 'waiting'),
    );
    await calls.publish(others, { order: 'none', item: another }, 'order.cancelled');
    await calls.publish(others, { item: another }, 'order.cancelled');
    await calls.publish(others, { order: another }, 'order.shipped');
    await waitFor('the notes to be read', async () => {
      const { rowCount } = await posthorn.deps.pool.query('SELECT FROM awaited_messages');
      return rowCount === 0;
    });
    expect((await calls.getRun(left.id)).status).toBe('waiting');
  });

  test('a message that arrives before the run starts cancels it before its first step', async () => {
    const order = newOrder();
    const workflowId = await calls.activate(placed(), [note, wait]);
    // One request for both: the run begins behind them.
    await calls.good('POST', '/v1/messages/batch', {
      messages: [
        { channelId: orders, eventType: 'order.placed', payload: { order } },
        { channelId: orders, eventType: 'order.refunded', payload: { order } },
      ],
    });
    const run = await calls.ended((await calls.onlyRun(workflowId)).id);
    expect(run).toMatchObject({ status: 'cancelled', steps: [] });
    expect(run.reason).toMatch(/^cancelled by the message msg_/);
  });

  test('a retried run is not cancelled by the same entry again', async () => {
    const order = newOrder();
    const workflowId = await calls.activate(placed(), [note, wait]);
    await place(order);
    const { id } = await waiting((await calls.onlyRun(workflowId)).id);
    await calls.publish(orders, { order }, 'order.cancelled');
    await calls.ended(id);
    await calls.good('POST', `/v1/runs/${id}/retry`);
    await waiting(id);
    await calls.publish(orders, { order }, 'order.refunded');
    await waitFor('the note to be read', async () => {
      const { rowCount } = await posthorn.deps.pool.query('SELECT FROM awaited_messages');
      return rowCount === 0;
    });
    expect((await calls.getRun(id)).status).toBe('waiting');
  });

  test('a message cancels a run rather than ending a wait of it', async () => {
    const order = newOrder();
    const heard = { id: 'heard', type: 'wait_for_event', config: { eventTypes: ['order.*'], match: OF_THE_ORDER } };
    const workflowId = await calls.activate(placed(), [heard, note]);
    await place(order);
    const { id } = await waiting((await calls.onlyRun(workflowId)).id);
    await calls.publish(orders, { order }, 'order.cancelled');
    expect(await calls.ended(id)).toMatchObject({ status: 'cancelled' });
  });

  test('a run without the value is never cancelled', async () => {
    const workflowId = await calls.activate(placed(), [wait]);
    await calls.publish(orders, { item: 1 }, 'order.placed');
    const { id } = await waiting((await calls.onlyRun(workflowId)).id);
    const watches = await posthorn.deps.pool.query('SELECT FROM run_waits WHERE run_id = $1', [id]);
    expect(watches.rowCount).toBe(0);
  });

  test.each([
    [{ cancelOn: [] }, 'trigger.config.cancelOn', /must not be empty/],
    [
      { cancelOn: [{ eventTypes: [], match: OF_THE_ORDER }] },
      'trigger.config.cancelOn[0].eventTypes',
      /must not be empty/,
    ],
    [{ cancelOn: [{ eventTypes: ['a'], match: [] }] }, 'trigger.config.cancelOn[0].match', /must not be empty/],
    [
      { cancelOn: [{ eventTypes: ['a'], match: [{ event: 'run.id', run: 'run.id' }] }] },
      'trigger.config.cancelOn[0].match[0].event',
      /must only read the arriving event, not the run: run/,
    ],
    [
      { cancelOn: [{ eventTypes: ['a'], match: [{ event: 'event.id', run: 'steps.note.output' }] }] },
      'trigger.config.cancelOn[0].match[0].run',
      /is evaluated before the first step and must not read steps: steps/,
    ],
    [
      { cancelOn: [{ eventTypes: ['a'], match: [{ event: 'evnt.id', run: 'event.id' }] }] },
      'trigger.config.cancelOn[0].match[0].event',
      /evnt/,
    ],
  ])('%j is refused', async (config, field, reason) => {
    const { status, body } = await posthorn.request<{ error: { details: { field: string; reason: string } } }>(
      'POST',
      '/v1/workflows',
      { name: 'refused', trigger: placed(config), steps: [note] },
    );
    expect([status, body.error.details.field]).toEqual([400, field]);
    expect(body.error.details.reason).toMatch(reason);
  });
});

describe('approvals', () => {
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  type ApprovalAnswer = {
    id: string;
    runId: string;
    stepId: string;
    iteration: string;
    status: string;
    title: string;
    message?: string;
    decidedBy?: string;
    decidedAt?: string;
    comment?: string;
    data?: unknown;
  };
  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

  const ask = (config: object = {}): Step => ({
    id: 'ask',
    type: 'approval',
    config: {
      title: 'Collect {{ event.payload.invoice }}?',
      message: 'The invoice is {{ event.payload.days }} days late.',
      ...config,
    },
  });
  const act: Step = { id: 'act', type: 'action', config: { action: 'log', by: '{{ steps.ask.output.by }}' } };
  const fallback: Step = { id: 'fallback', type: 'action', config: {} };

  const start = async (config: object = {}, steps: Step[] = [act]): Promise<RunAnswer> => {
    const workflowId = await calls.activate({ type: 'manual' }, [ask(config), ...steps]);
    return calls.start(workflowId, { invoice: 'I-7', days: 30 });
  };
  const asked = (runId: string, count = 1): Promise<ApprovalAnswer[]> =>
    waitFor('the run to ask', async () => {
      const { data } = await calls.good<{ data: ApprovalAnswer[] }>('GET', `/v1/approvals?status=open&runId=${runId}`);
      return data.length === count && data;
    });
  const decide = (runId: string, decision: 'approve' | 'reject', body: unknown = {}) =>
    posthorn.request<ApprovalAnswer & Refusal>('POST', `/v1/runs/${runId}/${decision}`, body);

  test('a run asks, waits, and continues with the decision; a second decision is refused with the first one', async () => {
    const { id } = await start();
    const [approval] = await asked(id);
    expect(approval).toMatchObject({
      runId: id,
      stepId: 'ask',
      iteration: '',
      title: 'Collect I-7?',
      message: 'The invoice is 30 days late.',
      approvers: [],
    });
    const run = await waitFor('the run to wait', async () => {
      const found = await calls.getRun(id);
      return found.status === 'waiting' && found;
    });
    expect(stepOf(run, 'ask').input).toMatchObject({ title: 'Collect I-7?', message: 'The invoice is 30 days late.' });

    const { status, body } = await decide(id, 'approve', { comment: 'Go on.', data: { amount: 12 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: approval?.id, status: 'approved', comment: 'Go on.', data: { amount: 12 } });
    const ended = await calls.ended(id);
    expect(ended.status).toBe('completed');
    expect(stepOf(ended, 'ask').output).toEqual({
      decision: 'approved',
      by: body.decidedBy,
      at: body.decidedAt,
      comment: 'Go on.',
      data: { amount: 12 },
    });
    expect(stepOf(ended, 'act').output).toMatchObject({ by: body.decidedBy });

    const second = await decide(id, 'reject');
    expect(second.status).toBe(409);
    expect(second.body.error.message).toContain(`is approved by ${body.decidedBy} at ${body.decidedAt}`);
    const { data } = await calls.good<{ data: { target: unknown }[] }>('GET', '/v1/audit?action=approval.approved');
    expect(data.map(({ target }) => target)).toEqual([expect.objectContaining({ id: approval?.id })]);
    expect(await calls.good('GET', `/v1/approvals/${approval?.id}`)).toEqual(body);
  });

  test('two decisions at once count as one', async () => {
    const { id } = await start({ approved: 'act', rejected: null });
    await asked(id);
    const answers = await Promise.all(
      (['approve', 'reject', 'approve', 'reject'] as const).map((one) => decide(id, one)),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409, 409]);
    const made = answers.find(({ status }) => status === 200)?.body.status;
    expect(stepOf(await calls.ended(id), 'ask').output).toMatchObject({ decision: made });
  });

  test('a rejection takes its branch, and fails the run if its author has named none', async () => {
    const named = await start({ approved: 'act', rejected: 'fallback' }, [act, fallback]);
    const plain = await start();
    for (const { id } of [named, plain]) {
      await asked(id);
      expect((await decide(id, 'reject', { comment: 'No.' })).status).toBe(200);
    }
    const elsewhere = await calls.ended(named.id);
    expect(elsewhere.status).toBe('completed');
    expect(stepOf(elsewhere, 'fallback').status).toBe('completed');
    expect(elsewhere.steps.map(({ id }) => id)).toEqual(['ask', 'fallback']);
    const failed = await calls.ended(plain.id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'APPROVAL_REJECTED', stepId: 'ask' } });

    // A retry asks again.
    await calls.good('POST', `/v1/runs/${plain.id}/retry`);
    await asked(plain.id);
    await decide(plain.id, 'approve');
    expect((await calls.ended(plain.id)).status).toBe('completed');
    const { data } = await calls.good<{ data: ApprovalAnswer[] }>('GET', `/v1/approvals?runId=${plain.id}`);
    expect(data.map(({ status }) => status)).toEqual(['approved', 'rejected']);
  });

  test('without a decision in time it is rejected, approved or failed, as its author says', async () => {
    const runs = await Promise.all([
      start({ timeout: '1s', rejected: 'fallback' }, [fallback]),
      start({ timeout: '1s', onTimeout: 'approve' }),
      start({ timeout: '1s', onTimeout: 'fail' }),
    ]);
    const [rejected, approved, failed] = await Promise.all(runs.map(({ id }) => calls.ended(id)));
    expect(stepOf(rejected!, 'ask').output).toEqual({
      decision: 'rejected',
      by: null,
      at: null,
      comment: null,
      data: null,
    });
    expect(stepOf(rejected!, 'fallback').status).toBe('completed');
    expect(stepOf(approved!, 'act').status).toBe('completed');
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'WAIT_TIMEOUT' } });
    const late = await decide(rejected!.id, 'approve');
    expect(late.status).toBe(409);
    expect(late.body.error.message).toContain('expired');
  });

  test('only its approvers decide, and only with data that matches its schema', async () => {
    const other = await start({ approvers: ['usr_00000000000000000000000000', 'somebody@example.com'] });
    await asked(other.id);
    const refused = await decide(other.id, 'approve');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);

    const { id: own } = (await decide((await startAndAsk({})).id, 'approve')).body;
    const { decidedBy } = await calls.good<ApprovalAnswer>('GET', `/v1/approvals/${own}`);
    const form = { type: 'object', properties: { amount: { type: 'integer', minimum: 1 } }, required: ['amount'] };
    const { id } = await startAndAsk({ approvers: [decidedBy], form });
    for (const [data, field] of [
      [{ amount: 0 }, 'data.amount'],
      [{}, 'data.amount'],
      [undefined, 'data.amount'],
    ] as const) {
      const { status, body } = await decide(id, 'approve', data === undefined ? {} : { data });
      expect([status, body.error.details?.field]).toEqual([400, field]);
    }
    expect((await decide(id, 'approve', { data: { amount: 3 } })).status).toBe(200);
    expect(stepOf(await calls.ended(id), 'ask').output).toMatchObject({ data: { amount: 3 } });
  });
  const startAndAsk = async (config: object): Promise<RunAnswer> => {
    const run = await start(config);
    await asked(run.id);
    return run;
  };

  test('one of several open approvals is chosen by name, and those that are cut off are no longer open', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'both', type: 'parallel', config: { branches: ['ask', 'second'], mode: 'race' } },
      ask(),
      { ...ask(), id: 'second' },
    ]);
    const { id } = await calls.start(workflowId, { invoice: 'I-8', days: 1 });
    await asked(id, 2);
    const unclear = await decide(id, 'approve');
    expect([unclear.status, unclear.body.error.details?.field]).toEqual([400, 'stepId']);
    expect((await decide(id, 'approve', { stepId: 'second' })).status).toBe(200);
    expect((await calls.ended(id)).status).toBe('completed');
    const { data } = await calls.good<{ data: ApprovalAnswer[] }>('GET', `/v1/approvals?runId=${id}`);
    expect(Object.fromEntries(data.map(({ stepId, status }) => [stepId, status]))).toEqual({
      ask: 'cancelled',
      second: 'approved',
    });

    const cancelled = await startAndAsk({});
    await calls.good('POST', `/v1/runs/${cancelled.id}/cancel`);
    expect((await decide(cancelled.id, 'approve')).status).toBe(409);
    // Its retry asks the same again.
    await calls.good('POST', `/v1/runs/${cancelled.id}/retry`);
    await asked(cancelled.id);
    expect((await decide(cancelled.id, 'approve')).status).toBe(200);
    expect((await calls.ended(cancelled.id)).status).toBe('completed');
  });

  test.each([
    [{ title: '' }, 'config.title', ''],
    [{ title: undefined }, 'config.title', 'is required'],
    [{ title: '{{ steps.later.output }}' }, 'config.title', 'not available'],
    [{ form: { type: 'thing' } }, 'config.form', ''],
    [{ onTimeout: 'continue' }, 'config.onTimeout', ''],
    [{ approved: 'nobody' }, 'config.approved', 'references unknown step "nobody"'],
    [{ approvers: [] }, 'config.approvers', ''],
  ])('%j is refused with its field and the reason', async (config, field, reason) => {
    const { body } = await posthorn.request<Refusal>('POST', '/v1/workflows', {
      name: 'wrong',
      trigger: { type: 'manual' },
      steps: [ask(config)],
    });
    expect(body.error.details?.field).toContain(`steps[0].${field}`);
    expect(body.error.details?.reason).toContain(reason);
  });

  test('a run without such a step, and a missing one, are reported as such', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [fallback]);
    const { id } = await calls.start(workflowId);
    expect((await decide(id, 'approve')).body.error.code).toBe('CONFLICT');
    expect((await decide('run_00000000000000000000000000', 'approve')).body.error.code).toBe('NOT_FOUND');
  });

  // A loop may have asked 1,000 times, with a form of 200 KiB each time: a decision once read all of them.
  test("a decision reads neither schemas nor responses of the run's other approvals", async () => {
    const { id } = await start();
    const [approval] = await asked(id);
    const { db } = posthorn.deps;
    const { environmentId } = await db.run.findUniqueOrThrow({ where: { id } });
    const questions = await db.$transaction((reader) => findOfRun(reader, environmentId, id));
    expect(questions).toEqual([{ id: approval?.id, stepId: approval?.stepId, iteration: '', status: 'open' }]);
  });
});
