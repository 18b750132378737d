import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reconcilerScheduleId } from '../../src/kernel/contract/temporal-names.ts';
import { mergeParts } from '../../src/insight/stats/merge-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { github, inboundCalls } from '../support/make/inbound-calls.ts';
import { type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('runs', () => {
  type Figures = { started: number; completed: number; failed: number; cancelled: number; skipped: number };
  type RunStats = {
    stepSeconds: number;
    totals: Figures;
    points: (Figures & { at: string })[];
    unfinished: { count: number; isMore: boolean };
  };

  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const NONE: Figures = { started: 0, completed: 0, failed: 0, cancelled: 0, skipped: 0 };
  const manual = { type: 'manual' };
  const LONG: Step = { id: 'long', type: 'delay', config: { for: '2h' } };
  const PAUSING: Step = {
    id: 'bad',
    type: 'action',
    config: { action: 'http', url: '{{ run.id }}', onError: 'pause' },
  };
  const NOTE: Step = { id: 'note', type: 'action', config: { action: 'log', noted: true } };

  const read = (query = ''): Promise<RunStats> => calls.good('GET', `/v1/stats/runs${query}`);
  /** The figures of a workflow once all that was counted is summed up. The worker sums up too, every five seconds. */
  async function figuresOf(workflowId: string): Promise<RunStats> {
    await waitFor('figures are summed up', async () => {
      await mergeParts(posthorn.deps.pool);
      const { rows } = await posthorn.deps.pool.query('SELECT FROM run_stat_parts LIMIT 1');
      return rows.length === 0;
    });
    return read(`?workflowId=${workflowId}`);
  }
  const until = (id: string, status: string) =>
    waitFor(`${id} is ${status}`, async () => (await calls.getRun(id)).status === status);

  test('a run that fails counts at each failure, and completes once whatever was retried before', async () => {
    const channelId = await calls.channel();
    await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    const tell = { action: 'publish', channelId, eventType: 'told' };
    const workflowId = await calls.activate(manual, [NOTE, { id: 'tell', type: 'action', config: tell }]);
    const { id } = await calls.start(workflowId);
    await calls.ended(id);
    expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 1, failed: 1 });

    // A retry of the failed steps goes on with the same start, one from the start begins anew.
    await calls.good('POST', `/v1/runs/${id}/retry`);
    await calls.ended(id);
    expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 1, failed: 2 });
    await calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start' });
    await calls.ended(id);
    expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 2, failed: 3 });
    await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
    await calls.good('POST', `/v1/runs/${id}/retry`);
    await calls.ended(id);
    const { totals, points, unfinished } = await figuresOf(workflowId);
    // Each failure of a run has a dead letter in the figures of traffic, and no delivery was given up.
    const traffic = await calls.good<{ totals: object }>('GET', '/v1/stats');
    expect(traffic.totals).toMatchObject({ deadLetters: 3, givenUp: 0 });
    expect(totals).toEqual({ ...NONE, started: 2, completed: 1, failed: 3 });
    expect(unfinished).toEqual({ count: 0, isMore: false });
    expect(points.reduce((sum, { failed }) => sum + failed, 0)).toBe(3);
  });

  test('runs that a person cancels are counted, one or many, and paused and waiting ones are unfinished', async () => {
    const which = { expression: 'event.payload.pauses', else: 'long' };
    const steps: Step[] = [{ id: 'which', type: 'condition', config: which, next: 'bad' }, LONG, PAUSING];
    const workflowId = await calls.activate(manual, steps);
    const paused = await calls.start(workflowId, { pauses: true });
    const waiting = await calls.start(workflowId, { pauses: false });
    const other = await calls.start(workflowId, { pauses: false });
    await until(paused.id, 'paused');
    for (const { id } of [waiting, other]) await until(id, 'waiting');
    expect(await figuresOf(workflowId)).toMatchObject({
      totals: { ...NONE, started: 3 },
      unfinished: { count: 3, isMore: false },
    });
    expect((await read()).unfinished.count).toBeGreaterThanOrEqual(3);

    await calls.good('POST', `/v1/runs/${waiting.id}/cancel`);
    await calls.good('POST', `/v1/workflows/${workflowId}/runs/cancel`, {});
    const ended = await calls.start(workflowId, { pauses: false });
    await until(ended.id, 'waiting');
    await posthorn.temporal.workflow.getHandle(`run/${ended.id}/1`).terminate('by hand');
    await waitFor('the reconciler to see that it was ended in Temporal', async () => {
      await posthorn.temporal.schedule.getHandle(reconcilerScheduleId(posthorn.taskQueue)).trigger();
      return (await calls.getRun(ended.id)).status === 'cancelled';
    });
    expect(await figuresOf(workflowId)).toMatchObject({
      totals: { ...NONE, started: 4, cancelled: 4 },
      unfinished: { count: 0, isMore: false },
    });
  });

  test('a run that its trigger skips has not started, and one that a filter ends is completed', async () => {
    const channelId = await calls.channel();
    const dedupe = { key: 'event.payload.order', window: '24h' };
    const trigger = { type: 'event', config: { channelId, eventTypes: ['order.created'], dedupe } };
    const filter: Step = { id: 'only', type: 'filter', config: { expression: 'event.payload.order == "B"' } };
    const workflowId = await calls.activate(trigger, [filter, NOTE]);
    for (const order of ['A', 'A', 'B']) await calls.publish(channelId, { order });
    await waitFor('all runs to end', async () => {
      const statuses = (await calls.runsOf(workflowId)).map(({ status }) => status);
      return statuses.toSorted().join() === 'completed,completed,skipped';
    });
    expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 2, completed: 2, skipped: 1 });
  });

  test('the environment has the figures of all its workflows, and of traffic none of them', async () => {
    const before = (await read()).totals;
    const traffic = (await calls.good<{ totals: object }>('GET', '/v1/stats')).totals;
    const workflowId = await calls.activate(manual, [NOTE]);
    const ids = [(await calls.start(workflowId)).id, (await calls.start(workflowId)).id];
    for (const id of ids) await calls.ended(id);
    const { totals } = await figuresOf(workflowId);
    expect(totals).toEqual({ ...NONE, started: 2, completed: 2 });
    expect((await read()).totals).toEqual({
      ...before,
      started: before.started + 2,
      completed: before.completed + 2,
    });
    expect((await calls.good<{ totals: object }>('GET', '/v1/stats')).totals).toEqual(traffic);
    // Its figures of runs are no traffic of a channel or a subscription, by whatever id is sent.
    for (const name of ['channelId', 'subscriptionId'])
      expect(await calls.good('GET', `/v1/stats?${name}=${workflowId}`)).toMatchObject({
        totals: { delivered: 0, failedAttempts: 0 },
        answers: [],
      });
    // A workflow of elsewhere, and an id that is none, have no runs.
    for (const id of ['wfl_01m7xyn29kf99taeh4t9wftvgy', 'orders'])
      expect(await read(`?workflowId=${id}`)).toMatchObject({ totals: NONE, unfinished: { count: 0, isMore: false } });
  });

  test('a trial is no run that is counted', async () => {
    const workflowId = await calls.activate(manual, [NOTE]);
    await calls.good('POST', `/v1/workflows/${workflowId}/test`, {});
    const { rows } = await posthorn.deps.pool.query('SELECT FROM run_stat_parts WHERE workflow_id = $1', [workflowId]);
    expect(rows).toEqual([]);
    expect((await figuresOf(workflowId)).totals).toEqual(NONE);
  });

  test('workflows of a page have their outcomes by step in one answer, and ids that are not here are left out', async () => {
    const [busy, idle] = [await calls.activate(manual, [NOTE]), await calls.activate(manual, [NOTE])];
    const { id } = await calls.start(busy);
    await calls.ended(id);
    await figuresOf(busy);
    type Row = { workflowId: string; totals: Figures; lastRun?: object; completed: number[]; failed: number[] };
    const list = async (query: string): Promise<Row[]> =>
      (await calls.good<{ workflows: Row[] }>('GET', `/v1/stats/workflows${query}`)).workflows;
    const rows = await list(`?workflowIds=${idle},wfl_01m7xyn29kf99taeh4t9wftvgy,${busy}`);
    expect(rows.map(({ workflowId, totals }) => [workflowId, totals])).toEqual([
      [idle, NONE],
      [busy, { ...NONE, started: 1, completed: 1 }],
    ]);
    const sum = (values: number[]): number => values.reduce((one, two) => one + two, 0);
    expect(rows.map(({ completed, failed }) => [sum(completed), sum(failed)])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    const run = await calls.good<Record<string, unknown>>('GET', `/v1/runs/${id}`);
    expect(rows.map(({ lastRun }) => lastRun)).toEqual([
      undefined,
      { id, status: 'completed', createdAt: run['createdAt'], finishedAt: run['finishedAt'] },
    ]);
    const { id: later } = await calls.start(busy);
    expect((await list(`?workflowIds=${busy}`))[0]?.lastRun).toMatchObject({ id: later });
    expect((await list('')).slice(0, 2).map(({ workflowId }) => workflowId)).toEqual([idle, busy]);
  });
});

describe('waiting', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  type Waiting = { count: number; isMore: boolean };

  /** How many deliveries of these subscriptions wait, in their order. */
  async function waitingOf(...ids: readonly string[]): Promise<Waiting[]> {
    const path = `/v1/stats/subscriptions?subscriptionIds=${ids.join(',')}`;
    const { body } = await posthorn.request<{ subscriptions: { waiting: Waiting }[] }>('GET', path);
    return body.subscriptions.map(({ waiting }) => waiting);
  }

  async function publish(channelId: string, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1)
      await posthorn.request('POST', `/v1/channels/${channelId}/messages`, {
        eventType: 'order.created',
        payload: { n },
      });
  }

  test('figures of subscriptions say how many deliveries wait, also of a paused one, until they are done', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    const { id: other } = await createSubscription(posthorn, {
      channelId: (await createChannel(posthorn)).id,
      webhookUrl: receiver.url,
    });
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { status: 'paused' });
    await publish(channelId, 3);
    expect(await waitingOf(other, id)).toEqual([
      { count: 0, isMore: false },
      { count: 3, isMore: false },
    ]);
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { status: 'active' });
    // One that is being tried waits no more, and has not arrived yet.
    await waitFor('all have arrived', () => receiver.requests.length === 3);
    await waitFor('none waits', async () => (await waitingOf(id))[0]?.count === 0);
  });

  test('a delivery that waits for its next try is one of them, in whatever hands it is', async () => {
    receiver.answerWith([(response) => void response.writeHead(500).end()]);
    const { id: channelId } = await createChannel(posthorn);
    const retryPolicy = { maxRetries: 5, initialDelay: 3_600_000, maxDelay: 3_600_000 };
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
    await publish(channelId, 1);
    await waitFor('the first try has failed', async () => {
      const { body } = await posthorn.request<{ data: { status: string }[] }>(
        'GET',
        `/v1/deliveries?subscriptionId=${id}&status=retrying`,
      );
      return body.data.length === 1;
    });
    await waitFor('it waits for its next try', async () => (await waitingOf(id))[0]?.count === 1);
  });

  describe('a receiver is failing', () => {
    const isFailing = async (id: string): Promise<string | undefined> => {
      type Health = { subscriptions: { failingSince?: string }[] };
      const path = `/v1/stats/subscriptions?subscriptionIds=${id}`;
      return (await posthorn.request<Health>('GET', path)).body.subscriptions[0]?.failingSince;
    };
    const isListed = async (id: string, channelId: string): Promise<boolean> => {
      type Page = { data: { id: string }[] };
      const path = `/v1/subscriptions?failing=true&channelId=${channelId}`;
      return (await posthorn.request<Page>('GET', path)).body.data.some((each) => each.id === id);
    };
    const rowOf = (id: string) => posthorn.deps.db.subscription.findUniqueOrThrow({ where: { id } });
    /** Moves the first failed attempt to so many ms from now. */
    const failedFirstAt = async (id: string, ms: number): Promise<Date> => {
      const failingSince = new Date(Date.now() + ms);
      await posthorn.deps.db.subscription.update({ where: { id }, data: { failingSince } });
      return failingSince;
    };
    /** A subscription whose first attempt was delivered, and how to make its next ones fail or arrive. */
    async function subscribed() {
      const { id: channelId } = await createChannel(posthorn);
      const retryPolicy = { maxRetries: 0 };
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
      const attempt = async (answer: 200 | 503): Promise<void> => {
        receiver.answerWith([answer === 200 ? 200 : (response) => void response.writeHead(503).end()]);
        const status = answer === 200 ? 'delivered' : 'failed';
        const ended = () => posthorn.deps.db.delivery.count({ where: { subscriptionId: id, status } });
        const before = await ended();
        await publish(channelId, 1);
        await waitFor(`an attempt has ${status}`, async () => (await ended()) === before + 1);
      };
      await attempt(200);
      return { id, channelId, attempt };
    }

    // Regression: one failed attempt showed a receiver as failing until its next success.
    test('a minute after the first of five failed attempts in a row, and no sooner, until one is delivered', async () => {
      const { id, channelId, attempt } = await subscribed();
      expect(await isFailing(id)).toBeUndefined();
      await attempt(503);
      // A minute is never over, however slow the machine is.
      await failedFirstAt(id, 3_600_000);
      for (let count = 1; count < 7; count += 1) await attempt(503);
      expect((await rowOf(id)).failingAttempts).toBe(5);
      expect([await isFailing(id), await isListed(id, channelId)]).toEqual([undefined, false]);
      // Now it is. No attempt needs to fail again: there may be none for hours.
      const since = await failedFirstAt(id, -60_000);
      expect([await isFailing(id), await isListed(id, channelId)]).toEqual([since.toISOString(), true]);
      await attempt(503);
      expect(await isFailing(id)).toBe(since.toISOString());
      await attempt(200);
      expect([await isFailing(id), await isListed(id, channelId)]).toEqual([undefined, false]);
      // What was counted before the success counts no more.
      await attempt(503);
      expect((await rowOf(id)).failingAttempts).toBe(1);
    });

    test('not after four failed attempts, however long they took', async () => {
      const { id, channelId, attempt } = await subscribed();
      await attempt(503);
      await failedFirstAt(id, -3_600_000);
      for (let count = 1; count < 4; count += 1) await attempt(503);
      expect((await rowOf(id)).failingAttempts).toBe(4);
      expect([await isFailing(id), await isListed(id, channelId)]).toEqual([undefined, false]);
    });

    test('as long as its subscription is disabled', async () => {
      const { id, channelId } = await subscribed();
      const statusChangedAt = new Date(Date.now() - 60_000);
      await posthorn.deps.db.subscription.update({ where: { id }, data: { status: 'disabled', statusChangedAt } });
      expect([await isFailing(id), await isListed(id, channelId)]).toEqual([statusChangedAt.toISOString(), true]);
      await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
      expect([await isFailing(id), await isListed(id, channelId)]).toEqual([undefined, false]);
    });
  });

  test('the backlog of a channel has nothing of another one, nor of a channel that is not there', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id: other } = await createChannel(posthorn);
    for (const each of [channelId, other]) {
      const { id } = await createSubscription(posthorn, { channelId: each, webhookUrl: receiver.url });
      await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { status: 'paused' });
    }
    await publish(channelId, 2);
    await publish(other, 1);
    type Left = Record<'pending' | 'retrying' | 'openDeadLetters', Waiting & { oldestAt?: string }>;
    const backlogOf = async (id: string): Promise<Left> =>
      (await posthorn.request<Left>('GET', `/v1/stats/backlog?channelId=${id}`)).body;
    expect(await backlogOf(channelId)).toMatchObject({
      pending: { count: 2, isMore: false, oldestAt: expect.any(String) },
      retrying: { count: 0, isMore: false },
      openDeadLetters: { count: 0, isMore: false },
    });
    expect((await backlogOf(other)).pending.count).toBe(1);
    for (const missing of [`chn_${'0'.repeat(26)}`, 'x'])
      expect((await backlogOf(missing)).pending).toEqual({ count: 0, isMore: false });
  });
});

describe('webhooks', () => {
  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    calls = inboundCalls(posthorn);
  });

  type Row = { webhookId: string; received: number; repeated: number; refused: number };
  const list = async (query: string): Promise<Row[]> =>
    (await posthorn.request<{ webhooks: Row[] }>('GET', `/v1/stats/webhooks${query}`)).body.webhooks;

  test('requests to webhooks of a page are counted by what became of them, and ids that are not here are left out', async () => {
    const { webhook: busy } = await calls.makeWebhook();
    const { webhook: idle } = await calls.makeWebhook();
    for (const eventId of ['one', 'two', 'one']) await calls.send(busy.id, '{}', github('{}', eventId));
    await calls.send(busy.id, '{}', github('{}', 'three', 'wrong'));
    const { pool } = posthorn.deps;
    await mergeParts(pool);
    expect((await pool.query('SELECT FROM inbound_stat_parts')).rows).toEqual([]);
    const none = { received: 0, repeated: 0, refused: 0 };
    const [of, other] = [
      { webhookId: busy.id, received: 2, repeated: 1, refused: 1 },
      { webhookId: idle.id, ...none },
    ];
    expect(await list(`?webhookIds=${idle.id},whk_01m7xyn29kf99taeh4t9wftvgy,${busy.id}`)).toEqual([other, of]);
    expect(await list('')).toEqual([other, of]);
    // Figures of a webhook are no traffic, and no runs.
    const { body } = await posthorn.request('GET', `/v1/stats?channelId=${busy.id}`);
    expect(body).toMatchObject({
      totals: { accepted: 0, delivered: 0, failedAttempts: 0, deadLetters: 0 },
      answers: [],
    });
  });
});
