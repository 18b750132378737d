import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reconcilerScheduleId } from '../../src/kernel/contract/temporal-names.ts';
import type { DeadLetter } from '../../src/delivery/dead-letters/schema.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createSubscription } from '../support/make/factories.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import { type RunAnswer, type Step, stepOf, ways, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('runs', () => {
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  test('the first workflow of the specification is created and activated, and a message runs its two steps', async () => {
    const channelId = await calls.channel();
    const workflowId = await calls.activate({ type: 'event', config: {} }, [
      { id: 'first', type: 'action', config: { foo: 1 }, next: 'second' },
      { id: 'second', type: 'action', config: { foo: 1 }, next: null },
    ]);
    const messageId = await calls.publish(channelId);
    const { id } = await calls.onlyRun(workflowId);
    const run = await calls.ended(id);
    expect(run).toMatchObject({ status: 'completed', workflowId, trigger: { type: 'event', messageId } });
    expect(run.steps.map((step) => [step.id, step.status, step.output])).toEqual([
      ['first', 'completed', { foo: 1 }],
      ['second', 'completed', { foo: 1 }],
    ]);
    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
  });

  test('conditions, switches, filters and transforms choose the branch and pass values on', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'sum',
        type: 'transform',
        config: { set: { total: '{{ event.payload.amount * 2 }}' }, assign: { who: '{{ event.payload.name }}' } },
        next: 'large',
      },
      {
        id: 'large',
        type: 'condition',
        config: ways('steps.sum.output.total > 100', 'kind', 'small'),
      },
      {
        id: 'kind',
        type: 'switch',
        config: { cases: [{ when: 'vars.who == "Ada"', next: 'ada' }], default: 'small' },
      },
      { id: 'ada', type: 'action', config: { text: 'hello {{ vars.who }}' }, next: 'only' },
      { id: 'only', type: 'filter', config: { expression: 'false' }, next: 'small' },
      { id: 'small', type: 'action', config: {} },
    ]);
    const { id } = await calls.start(workflowId, { amount: 60, name: 'Ada' });
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect(run.steps.map((step) => [step.id, step.output])).toEqual([
      ['sum', { total: 120 }],
      ['large', { result: true }],
      ['kind', { case: 0 }],
      ['ada', { text: 'hello Ada' }],
      ['only', { passed: false }],
    ]);
    expect(stepOf(run, 'ada').attempts).toBe(1);
  });
});

describe('run states', () => {
  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const describe = (runId: string, round = 1) =>
    posthorn.temporal.workflow.getHandle(`run/${runId}/${round}`).describe();
  /** The state of a Temporal workflow that has closed, as an operator searches for it. */
  const stateOf = (runId: string, round = 1): Promise<unknown> =>
    waitFor(`run/${runId}/${round} closes`, async () => {
      const { status, searchAttributes } = await describe(runId, round);
      return status.name !== 'RUNNING' && { status: status.name, state: searchAttributes['PosthornState'] };
    });
  const start = async (steps: readonly Step[]): Promise<string> =>
    (await calls.start(await calls.activate({ type: 'manual' }, steps))).id;
  const bad = (config: object = {}): Step => ({
    id: 'bad',
    type: 'action',
    config: { action: 'http', url: '{{ event.payload.url }}', ...config },
  });
  const waiting = async (): Promise<string> => {
    const id = await start([{ id: 'long', type: 'delay', config: { for: '2h' } }]);
    await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
    return id;
  };

  test.each([
    ['completed', [{ id: 'note', type: 'action', config: {} }], 'COMPLETED'],
    ['cancelled', [{ id: 'end', type: 'end', config: { status: 'cancelled' } }], 'COMPLETED'],
    ['failed', [bad()], 'FAILED'],
    ['paused', [bad({ onError: 'pause' })], 'COMPLETED'],
  ])('a run that is %s shows it as PosthornState, which stayed running', async (state, steps, status) => {
    const id = await start(steps);
    expect((await calls.ended(id)).status).toBe(state);
    expect(await stateOf(id)).toEqual({ status, state: [state] });
  });

  test('a run in progress shows running, and a cancelled one shows cancelled, whatever its step', async () => {
    const [here, there] = [await waiting(), await waiting()];
    expect((await describe(here)).searchAttributes['PosthornState']).toEqual(['running']);
    await calls.good('POST', `/v1/runs/${here}/cancel`);
    await posthorn.temporal.workflow.getHandle(`run/${there}/1`).cancel();
    for (const id of [here, there]) expect(await stateOf(id)).toEqual({ status: 'CANCELLED', state: ['cancelled'] });
  });

  test('the next round of a retry shows its own end', async () => {
    const id = await waiting();
    await calls.good('POST', `/v1/runs/${id}/cancel`);
    await stateOf(id);
    await calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start' });
    await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
    expect((await describe(id, 2)).searchAttributes['PosthornState']).toEqual(['running']);
    await calls.good('POST', `/v1/runs/${id}/cancel`);
    expect(await stateOf(id, 2)).toMatchObject({ state: ['cancelled'] });
  });
});

describe('cancel runs', () => {
  type Cancelled = { status: string; matched: number; cancelled: number; left: number };

  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const LONG: Step = { id: 'long', type: 'delay', config: { for: '2h' } };
  const PAUSING: Step = {
    id: 'bad',
    type: 'action',
    config: { action: 'http', url: '{{ run.id }}', onError: 'pause' },
  };
  const cancel = (workflowId: string, body: object) =>
    calls.good<Cancelled>('POST', `/v1/workflows/${workflowId}/runs/cancel`, body);
  const statusOf = async (id: string): Promise<string> => (await calls.getRun(id)).status;
  const until = (id: string, status: string) =>
    waitFor(`${id} is ${status}`, async () => (await statusOf(id)) === status);

  test('a bulk cancellation selects runs of a workflow by status, ids and time, and no others', async () => {
    const other = (await calls.start(await calls.activate({ type: 'manual' }, [LONG]))).id;
    const steps = [
      { id: 'which', type: 'condition', config: { expression: 'event.payload.pauses', else: 'long' }, next: 'bad' },
      LONG,
      PAUSING,
    ];
    const workflowId = await calls.activate({ type: 'manual' }, steps);
    const start = async (pauses: boolean): Promise<string> => (await calls.start(workflowId, { pauses })).id;
    const paused = await start(true);
    const waiting = [await start(false), await start(false), await start(false)] as const;
    await until(paused, 'paused');
    for (const id of [other, ...waiting]) await until(id, 'waiting');

    expect(await cancel(workflowId, { dryRun: true })).toEqual({
      status: 'preview',
      matched: 4,
      cancelled: 0,
      left: 4,
    });
    expect(await cancel(workflowId, { status: 'pending' })).toMatchObject({ matched: 0, cancelled: 0 });
    expect(await cancel(workflowId, { status: ['pending', 'waiting'], dryRun: true })).toMatchObject({ matched: 3 });
    expect(await cancel(workflowId, { ids: [waiting[1], other, 'nothing'] })).toMatchObject({
      matched: 1,
      cancelled: 1,
    });
    const { createdAt } = await calls.good<{ createdAt: string }>('GET', `/v1/runs/${waiting[2]}`);
    expect(await cancel(workflowId, { since: createdAt })).toMatchObject({ matched: 0 });
    expect(await cancel(workflowId, { status: 'waiting', until: createdAt })).toMatchObject({ cancelled: 1, left: 0 });
    const statuses = () => Promise.all([paused, ...waiting, other].map(statusOf));
    expect(await statuses()).toEqual(['paused', 'cancelled', 'cancelled', 'waiting', 'waiting']);
    expect(await cancel(workflowId, {})).toEqual({ status: 'cancelled', matched: 2, cancelled: 2, left: 0 });
    expect(await statuses()).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'waiting']);

    const run = await calls.getRun(waiting[2]);
    expect(run).toMatchObject({
      reason: expect.stringMatching(/^cancelled by key_/),
      steps: [{}, { status: 'cancelled' }],
    });
    for (const id of waiting)
      await waitFor('its Temporal workflow ends', async () => {
        const { status } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
        return status.name === 'CANCELLED';
      });
    const { data } = await calls.good<{ data: { after: object; target: object }[] }>(
      'GET',
      '/v1/audit?action=workflow.runs_cancelled',
    );
    expect(data).toHaveLength(3);
    expect(data[0]).toMatchObject({ target: { id: workflowId }, after: { cancelled: 2 } });
  });

  test('a request cancels the oldest of more than 1,000, and the next one the rest; of a deleted workflow too', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [LONG]);
    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
    await posthorn.deps.pool.query(
      `INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type, status)
     SELECT 'run_' || lpad(n::text, 26, '0'), w.environment_id, w.id, w.version, 'manual', 'pending'
     FROM workflows w, generate_series(1, 1205) n WHERE w.id = $1`,
      [workflowId],
    );
    await calls.good('DELETE', `/v1/workflows/${workflowId}`);
    // Deleting has workers cancel new runs too: what is left is for this request alone, however far they are.
    const first = await cancel(workflowId, {});
    expect(first.cancelled).toBe(Math.min(1_000, first.matched));
    expect(first.left).toBe(first.matched - first.cancelled);
    expect(await cancel(workflowId, {})).toMatchObject({ left: 0 });
    expect(await cancel(workflowId, {})).toEqual({ status: 'cancelled', matched: 0, cancelled: 0, left: 0 });
  });

  test('an unknown workflow is NOT_FOUND, and invalid fields are refused without a change', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [LONG]);
    const { id } = await calls.start(workflowId);
    const refused = async (path: string, body: object | undefined) =>
      (await posthorn.request('POST', `/v1/workflows/${path}/runs/cancel`, body)).status;
    expect(await refused('wfl_00000000000000000000000000', {})).toBe(404);
    expect(await refused('x', {})).toBe(404);
    for (const body of [
      undefined,
      { status: 'failed' },
      { status: ['waiting', 'failed'] },
      { ids: [] },
      { ids: 'x' },
      { since: 'now' },
      { all: true },
    ])
      expect([body, await refused(workflowId, body)]).toEqual([body, 400]);
    await until(id, 'waiting');
  });
});

describe('failed runs', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  /** Paths that answer 500. */
  const broken = new Set<string>();
  const to = (path: string): string => new URL(path, receiver.url).href;
  const requestsTo = (path: string) => receiver.requests.filter((each) => each.path === path);

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({ answer: ({ path }) => (broken.has(path) ? 500 : 200) });
  });
  afterAll(async () => {
    await receiver.close();
  });

  const post = (id: string, path: string, next?: string) => ({
    id,
    type: 'action',
    config: { action: 'http', url: to(path), retryPolicy: { maxRetries: 0 } },
    ...(next !== undefined && { next }),
  });
  const lettersOf = async (query: string): Promise<DeadLetter[]> =>
    (await calls.good<{ data: DeadLetter[] }>('GET', `/v1/dlq?${query}`)).data;
  const letterOf = async (run: RunAnswer): Promise<DeadLetter> => {
    const [letter, ...others] = await lettersOf(`kind=run&workflowId=${run.workflowId}&status=open`);
    expect(others).toEqual([]);
    if (letter === undefined) throw new Error(`No open dead letter of ${run.id}`);
    return letter;
  };
  /** A run that failed at its step `push`, after `first`; both are requests to paths of their own. */
  async function failedRun(name: string): Promise<RunAnswer> {
    broken.add(`/${name}/push`);
    const steps = [post('first', `/${name}/first`, 'push'), post('push', `/${name}/push`)];
    const workflowId = await calls.activate({ type: 'manual' }, steps);
    const run = await calls.ended((await calls.start(workflowId)).id);
    expect(run.status).toBe('failed');
    return run;
  }

  test('a failed run is a dead letter that names its message, step and error, and a subscriber is notified', async () => {
    const listener = await startReceiver({});
    const target = { channelId: await systemChannelOf(posthorn), webhookUrl: listener.url, eventTypes: ['run.*'] };
    await createSubscription(posthorn, target);
    const channelId = await calls.channel();
    broken.add('/letter');
    const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [post('push', '/letter')]);
    const messageId = await calls.publish(channelId);
    const run = await calls.ended((await calls.onlyRun(workflowId)).id);
    const letter = await letterOf(run);
    expect(letter).toMatchObject({
      kind: 'run',
      status: 'open',
      workflowId,
      runId: run.id,
      stepId: 'push',
      channelId,
      messageId,
      eventType: 'order.created',
      reason: 'failed_step',
      lastError: { class: 'status', code: 'HTTP_500', status: 500 },
      attempts: 1,
    });
    expect(letter).not.toHaveProperty('iteration');
    expect(letter).not.toHaveProperty('deliveryId');
    expect(await calls.good('GET', `/v1/dlq/${letter.id}`)).toEqual(letter);
    expect(await lettersOf(`messageId=${messageId}`)).toEqual([letter]);
    const told = await waitFor('the service event', () => listener.requests[0]);
    expect(JSON.parse(told.body)).toMatchObject({
      type: 'run.failed',
      data: { workflowId, runId: run.id, stepId: 'push', deadLetterId: letter.id, reason: 'failed_step', attempts: 1 },
    });
    await listener.close();
  });

  test('the dead letter of a loop names the step of the failed item, and only failed items are repeated', async () => {
    broken.add('/items/2');
    const inner = post('push', '/items/');
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: 'event.payload.items', body: 'push', concurrency: 1 } },
      { ...inner, config: { ...inner.config, url: `${to('/items/')}{{ item }}` } },
    ]);
    const run = await calls.ended((await calls.start(workflowId, { items: [1, 2, 3] })).id);
    expect(run).toMatchObject({ status: 'failed', error: { stepId: 'each' } });
    const letter = await letterOf(run);
    expect(letter).toMatchObject({ stepId: 'push', iteration: '1', lastError: { code: 'HTTP_500', status: 500 } });
    broken.delete('/items/2');
    await calls.good('POST', `/v1/dlq/${letter.id}/replay`);
    expect((await calls.ended(run.id)).status).toBe('completed');
    expect([1, 2, 3].map((item) => requestsTo(`/items/${item}`).length)).toEqual([1, 2, 1]);
  });

  test('only failures are dead letters: an end with the status failed is one; a cancelled, filtered or paused run is not', async () => {
    const ending = (status: string) => ({ id: 'stop', type: 'end', config: { status } });
    const runs = [];
    for (const step of [
      ending('failed'),
      ending('cancelled'),
      ending('completed'),
      { id: 'only', type: 'filter', config: { expression: 'false' } },
      { id: 'bad', type: 'action', config: { action: 'http', url: '{{ event.payload.url }}', onError: 'pause' } },
    ])
      runs.push(await calls.ended((await calls.start(await calls.activate({ type: 'manual' }, [step]))).id));
    expect(runs.map(({ status }) => status)).toEqual(['failed', 'cancelled', 'completed', 'completed', 'paused']);
    await calls.good('POST', `/v1/runs/${runs[4]?.id}/cancel`);
    const letters = await Promise.all(runs.map(({ workflowId }) => lettersOf(`workflowId=${workflowId}`)));
    expect(letters.map((each) => each.map(({ stepId }) => stepId))).toEqual([['stop'], [], [], [], []]);
  });

  /** A run whose `charge` fails behind `first`, is made up for by `refund`, and ends as failed. */
  async function compensatedRun(name: string, end: object = {}): Promise<RunAnswer> {
    broken.add(`/${name}/charge`);
    const charge = post('charge', `/${name}/charge`, 'done');
    const workflowId = await calls.activate({ type: 'manual' }, [
      post('first', `/${name}/first`, 'charge'),
      { ...charge, config: { ...charge.config, onError: [{ errors: ['HTTP_5XX'], next: 'refund' }] } },
      { id: 'done', type: 'action', config: { action: 'log', text: '{{ steps.charge.output.status }}' } },
      post('refund', `/${name}/refund`, 'over'),
      {
        id: 'over',
        type: 'end',
        config: { status: 'failed', error: { code: 'NOT_CHARGED', message: 'refunded' }, ...end },
      },
    ]);
    const run = await calls.ended((await calls.start(workflowId)).id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'NOT_CHARGED', stepId: 'over' } });
    return run;
  }
  const counts = (name: string): number[] =>
    ['first', 'charge', 'refund'].map((step) => requestsTo(`/${name}/${step}`).length);

  test.each(['replay', 'retry', 'bulk replay'])(
    'a %s of a run that an end step has failed after a compensation continues at the step that failed first',
    async (way) => {
      // The run went on at the end step, and could only fail again.
      const name = `compensated-${way.replace(' ', '-')}`;
      const run = await compensatedRun(name);
      const letter = await letterOf(run);
      broken.delete(`/${name}/charge`);
      if (way === 'replay') await calls.good('POST', `/v1/dlq/${letter.id}/replay`);
      else if (way === 'retry') await calls.good('POST', `/v1/runs/${run.id}/retry`);
      else await calls.good('POST', '/v1/dlq/replay', { kind: 'run', workflowId: run.workflowId });
      const completed = await waitFor('the run completes', async () => {
        const now = await calls.ended(run.id);
        return now.status === 'completed' ? now : undefined;
      });
      expect(completed.steps.map(({ id, status }) => [id, status])).toEqual([
        ['first', 'completed'],
        ['charge', 'completed'],
        ['done', 'completed'],
      ]);
      expect(counts(name)).toEqual([1, 2, 1]);
      // The first charge was made up for: this one is another one.
      expect(requestsTo(`/${name}/charge`).map(({ headers }) => headers['idempotency-key'])).toEqual([
        `${run.id}:charge:`,
        `${run.id}:charge::restart-1`,
      ]);
      expect(await calls.good('GET', `/v1/dlq/${letter.id}`)).toMatchObject({ status: 'replayed' });
    },
  );

  test('such a run continues at its end step if nothing failed before, and at a fixed step of the latest definition', async () => {
    const ending = { id: 'over', type: 'end', config: { status: 'failed' } };
    const workflowId = await calls.activate({ type: 'manual' }, [post('first', '/ending/first', 'over'), ending]);
    const plain = await calls.ended((await calls.start(workflowId)).id);
    const mended = { ...ending, config: { status: 'completed' } };
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, {
      steps: [post('first', '/ending/first', 'over'), mended],
    });
    await calls.good('POST', `/v1/runs/${plain.id}/retry`, { definition: 'latest' });
    expect((await calls.ended(plain.id)).status).toBe('completed');
    expect(requestsTo('/ending/first')).toHaveLength(1);

    const run = await compensatedRun('latest-charge');
    const steps = [post('first', '/latest-charge/first', 'charge'), post('charge', '/latest-charge/mended')];
    await calls.good('PATCH', `/v1/workflows/${run.workflowId}`, { steps });
    await calls.good('POST', `/v1/runs/${run.id}/retry`, { definition: 'latest' });
    expect((await calls.ended(run.id)).status).toBe('completed');
    expect(counts('latest-charge')).toEqual([1, 1, 1]);
  });

  test('an end step with deadLetter: false fails its run, and leaves no dead letter and no event', async () => {
    const run = await compensatedRun('quiet', { deadLetter: false });
    const loud = await compensatedRun('loud');
    await letterOf(loud);
    expect(await lettersOf(`workflowId=${run.workflowId}`)).toEqual([]);
    const events = await posthorn.deps.pool.query<{ runId: string }>(
      `SELECT payload::json ->> 'runId' AS "runId" FROM messages WHERE event_type = 'run.failed'`,
    );
    const told = events.rows.map(({ runId }) => runId);
    expect([told.includes(run.id), told.includes(loud.id)]).toEqual([false, true]);
    // A later round that fails otherwise is one.
    broken.add('/quiet/refund');
    await calls.good('POST', `/v1/runs/${run.id}/retry`);
    await waitFor('the next round fails', async () => (await lettersOf(`workflowId=${run.workflowId}`)).length === 1);
    expect(await letterOf(run)).toMatchObject({ stepId: 'refund', lastError: { code: 'HTTP_500' } });
  });

  test('a replay continues from the failed step without repeating earlier ones, and each failed round is a separate dead letter', async () => {
    const run = await failedRun('replayed');
    const first = await letterOf(run);
    const replayed = await calls.good<RunAnswer>('POST', `/v1/dlq/${first.id}/replay`);
    expect(replayed).toMatchObject({ id: run.id });
    expect(replayed.status).not.toBe('failed');
    await calls.ended(run.id);
    const second = await waitFor(
      'the second round fails',
      async () => (await lettersOf(`workflowId=${run.workflowId}`))[0],
    );
    expect(second.id).not.toBe(first.id);
    expect((await calls.good<DeadLetter>('GET', `/v1/dlq/${first.id}`)).status).toBe('replayed');
    expect((await posthorn.request('POST', `/v1/dlq/${first.id}/replay`)).status).toBe(409);
    broken.delete('/replayed/push');
    await calls.good('POST', `/v1/dlq/${second.id}/replay`);
    const completed = await calls.ended(run.id);
    expect(completed.status).toBe('completed');
    expect(stepOf(completed, 'push').attempts).toBe(3);
    expect(requestsTo('/replayed/first')).toHaveLength(1);
    expect(await lettersOf(`workflowId=${run.workflowId}&status=open`)).toEqual([]);
  });

  test('a retry of the run closes its dead letter as replayed, and a discarded letter leaves the retry open', async () => {
    const run = await failedRun('retried');
    const letter = await letterOf(run);
    broken.delete('/retried/push');
    await calls.good('POST', `/v1/runs/${run.id}/retry`);
    expect((await calls.ended(run.id)).status).toBe('completed');
    const closed = await calls.good<DeadLetter>('GET', `/v1/dlq/${letter.id}`);
    expect(closed).toMatchObject({
      status: 'replayed',
      replayedAt: expect.any(String),
      replayedBy: expect.any(String),
    });

    const other = await failedRun('discarded');
    const { id } = await letterOf(other);
    await calls.good('DELETE', `/v1/dlq/${id}`);
    expect((await posthorn.request('POST', `/v1/dlq/${id}/replay`)).status).toBe(409);
    broken.delete('/discarded/push');
    await calls.good('POST', `/v1/runs/${other.id}/retry`);
    expect((await calls.ended(other.id)).status).toBe('completed');
    expect((await calls.good<DeadLetter>('GET', `/v1/dlq/${id}`)).status).toBe('discarded');
  });

  test('a bulk replay selects the dead letters of one workflow, and one whose workflow is deleted cannot be replayed', async () => {
    const [run, deleted] = [await failedRun('bulk'), await failedRun('deleted')];
    const filter = { kind: 'run', workflowId: run.workflowId };
    expect(await calls.good('POST', '/v1/dlq/replay', { ...filter, dryRun: true })).toMatchObject({ matched: 1 });
    broken.delete('/bulk/push');
    const replay = await calls.good<{ id: string }>('POST', '/v1/dlq/replay', filter);
    await waitFor('the bulk replay ends', async () => {
      const { status } = await calls.good<{ status: string }>('GET', `/v1/dlq/replay/${replay.id}`);
      return status === 'completed';
    });
    expect(await calls.good('GET', `/v1/dlq/replay/${replay.id}`)).toMatchObject({
      matched: 1,
      replayed: 1,
      failed: 0,
      filter,
    });
    await waitFor('its run completes', async () => (await calls.getRun(run.id)).status === 'completed');
    expect((await posthorn.request('POST', '/v1/dlq/replay', { workflowId: 'wf_unknown' })).status).toBe(400);

    const letter = await letterOf(deleted);
    await calls.good('DELETE', `/v1/workflows/${deleted.workflowId}`);
    const refused = await posthorn.request<{ error: { message: string } }>('POST', `/v1/dlq/${letter.id}/replay`);
    expect(refused).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('deleted') } } });
    expect((await posthorn.request('POST', `/v1/runs/${deleted.id}/retry`)).status).toBe(409);
    expect(await letterOf(deleted)).toEqual(letter);
  });

  test('a run whose Temporal workflow is terminated ends as cancelled with the reason, and is not a dead letter', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'long', type: 'delay', config: { for: '2h' } }]);
    const { id } = await calls.start(workflowId);
    await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
    await posthorn.temporal.workflow.getHandle(`run/${id}/1`).terminate('by hand');
    await waitFor('the reconciler to see it', async () => {
      await posthorn.temporal.schedule.getHandle(reconcilerScheduleId(posthorn.taskQueue)).trigger();
      return (await calls.getRun(id)).status === 'cancelled';
    });
    const run = await calls.getRun(id);
    expect(run).toMatchObject({ status: 'cancelled', reason: 'ended in Temporal: by hand' });
    expect(stepOf(run, 'long').status).toBe('cancelled');
    expect(await lettersOf(`workflowId=${workflowId}`)).toEqual([]);
  });

  test('a retry from the start repeats all steps and forgets the earlier results', async () => {
    const run = await failedRun('restarted');
    broken.delete('/restarted/push');
    await calls.good('POST', `/v1/runs/${run.id}/retry`, { from: 'start' });
    const completed = await calls.ended(run.id);
    expect(completed.status).toBe('completed');
    expect(completed.steps.map(({ id, attempts }) => [id, attempts])).toEqual([
      ['first', 1],
      ['push', 1],
    ]);
    const keys = requestsTo('/restarted/first').map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([`${run.id}:first:`, `${run.id}:first::restart-1`]);
  });

  test('a retry from the start publishes again, even if the message differs; one from the failed step keeps its idempotency key', async () => {
    // Both kept the key: the channel refused the other message with CONFLICT, and a receiver that knew the key answered with what it had.
    const channelId = await calls.channel();
    const steps = (note: string) => [
      {
        id: 'tell',
        type: 'action',
        config: { action: 'publish', channelId, eventType: 'told', payload: { note } },
        next: 'push',
      },
      post('push', '/anew/push'),
    ];
    broken.add('/anew/push');
    const workflowId = await calls.activate({ type: 'manual' }, steps('first'));
    const { id } = await calls.start(workflowId);
    await calls.ended(id);
    await calls.good('POST', `/v1/runs/${id}/retry`);
    await waitFor('the second try', () => requestsTo('/anew/push').length === 2);
    await calls.ended(id);
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { steps: steps('second') });
    const retry = (definition: string) =>
      calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start', definition }).then(() => calls.ended(id));
    const published = [];
    for (const definition of ['latest', 'original']) {
      await retry(definition);
      published.push(stepOf(await calls.getRun(id), 'tell').status);
    }
    expect(published).toEqual(['completed', 'completed']);
    const path = `/v1/messages?channelId=${channelId}`;
    const { data } = await calls.good<{ data: { id: string }[] }>('GET', path);
    const messages = await Promise.all(
      data.map((message) => calls.good<{ payload: { note: string } }>('GET', `/v1/messages/${message.id}`)),
    );
    expect(messages.map(({ payload }) => payload.note)).toEqual(['second', 'second', 'first']);
    const keys = requestsTo('/anew/push').map(({ headers }) => headers['idempotency-key']);
    const name = `${id}:push:`;
    expect(keys).toEqual([name, name, `${name}:restart-1`, `${name}:restart-2`]);
  });

  test('a retry under the latest definition uses a fixed step, and is refused if the failed step was removed', async () => {
    const run = await failedRun('latest');
    const path = `/v1/workflows/${run.workflowId}`;
    const retry = (body: object) =>
      posthorn.request<{ error: { message: string } }>('POST', `/v1/runs/${run.id}/retry`, body);
    await calls.good('PATCH', path, { steps: [post('first', '/latest/first', 'pull'), post('pull', '/latest/pull')] });
    const refused = await retry({ definition: 'latest' });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toBe(
      'The latest definition does not have the step push, at which this run would continue',
    );
    expect((await retry({ definition: 'newest' })).status).toBe(400);
    expect(await calls.getRun(run.id)).toMatchObject({ status: 'failed', definitionVersion: 1 });

    await calls.good('PATCH', path, {
      steps: [post('first', '/latest/first', 'push'), post('push', '/latest/mended')],
    });
    expect((await retry({ definition: 'latest' })).status).toBe(202);
    const completed = await calls.ended(run.id);
    expect(completed).toMatchObject({ status: 'completed', definitionVersion: 3 });
    expect([requestsTo('/latest/first').length, requestsTo('/latest/mended').length]).toEqual([1, 1]);
  });

  test('whole numbers of a template keep all of their digits', async () => {
    const body = '{"ref":12345678901234567890,"constructor":{"n":-9007199254740993}}';
    const config = `{"action":"http","url":"${to('/digits')}","body":${body}}`;
    const definition = `{"name":"digits","trigger":{"type":"manual"},"steps":[{"id":"push","type":"action","config":${config}}]}`;
    const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', definition);
    await calls.good('POST', `/v1/workflows/${id}/activate`);
    const run = await calls.ended((await calls.start(id)).id);
    expect(run.status).toBe('completed');
    expect(requestsTo('/digits')[0]?.body).toBe(body);
  });
});

describe('filtered runs', () => {
  /** A run that a filter has ended differs from one that ran all its steps. */
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  type Filtered = { status: string; filteredBy?: string };
  const paid = { id: 'paid', type: 'filter', config: { expression: 'event.payload.isPaid' } };
  const note = (id: string) => ({ id, type: 'action', config: { text: id } });

  const stateInTemporal = (runId: string, state: string): Promise<true> =>
    waitFor(`Temporal says ${state}`, async () => {
      const { searchAttributes } = await posthorn.temporal.workflow.getHandle(`run/${runId}/1`).describe();
      return searchAttributes['PosthornState']?.[0] === state;
    });

  // Regression: it was completed, as one that did everything, and only who read all its steps saw that one of them had not passed.
  test('a run says which filter ended it, in its response, in lists, in its file and in Temporal', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [paid, note('tell')]);
    const { id: unpaid } = await calls.start(workflowId, { isPaid: false });
    const { id: whole } = await calls.start(workflowId, { isPaid: true });
    const run = await calls.ended(unpaid);
    expect(run).toMatchObject({ status: 'completed', filteredBy: 'paid' });
    expect(stepOf(run, 'paid')).toMatchObject({ status: 'completed', output: { passed: false } });
    expect(run.steps).toHaveLength(1);
    expect(await calls.ended(whole)).not.toHaveProperty('filteredBy');
    const listed = await calls.good<{ data: ({ id: string } & Filtered)[] }>(
      'GET',
      `/v1/runs?workflowId=${workflowId}`,
    );
    expect(listed.data.map((each) => [each.id, each.status, each.filteredBy])).toEqual([
      [whole, 'completed', undefined],
      [unpaid, 'completed', 'paid'],
    ]);
    const file = await fetch(`${posthorn.url}/v1/runs/export?workflowId=${workflowId}&format=csv`, {
      headers: { authorization: `Bearer ${posthorn.keys.live}` },
    });
    expect(file.status).toBe(200);
    expect((await file.text()).split('\r\n').filter((line) => line.includes(',paid,'))).toEqual([
      expect.stringContaining(unpaid),
    ]);
    await stateInTemporal(unpaid, 'filtered');
    await stateInTemporal(whole, 'completed');
    const result = await posthorn.temporal.workflow.getHandle(`run/${unpaid}/1`).result();
    expect(result).toEqual({ result: 'completed', filteredBy: 'paid' });
  });

  test('a filter whose result is reshaped ends the run as well, and one after a chosen branch too', async () => {
    const reshaped = { ...paid, config: { ...paid.config, output: '{{ "nothing of it" }}' } };
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'which', type: 'condition', config: ways('true', 'paid', 'tell') },
      { ...reshaped, next: 'tell' },
      note('tell'),
    ]);
    const { id } = await calls.start(workflowId, { isPaid: false });
    const run = await calls.ended(id);
    expect(run).toMatchObject({ status: 'completed', filteredBy: 'paid' });
    expect(stepOf(run, 'paid').output).toBe('nothing of it');
  });

  test('a filter in a loop ends its item and one in a branch its branch: the run continues and names neither', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: '[1, 2]', body: 'odd' }, next: 'both' },
      { id: 'odd', type: 'filter', config: { expression: 'item == 1' }, next: 'counted' },
      note('counted'),
      { id: 'both', type: 'parallel', config: { branches: ['never', 'other'] } },
      { id: 'never', type: 'filter', config: { expression: 'false' }, next: 'unreached' },
      note('unreached'),
      note('other'),
    ]);
    const { id } = await calls.start(workflowId);
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect(run).not.toHaveProperty('filteredBy');
    expect(run.steps.filter((step) => step.id === 'counted').map(({ iteration }) => iteration)).toEqual(['0']);
    expect(run.steps.map((step) => step.id)).not.toContain('unreached');
    expect(stepOf(run, 'both').status).toBe('completed');
  });

  test('a test run says which filter would end the run', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [paid, note('tell')]);
    const tryWith = (isPaid: boolean): Promise<Filtered> =>
      calls.good('POST', `/v1/workflows/${workflowId}/test`, { event: { payload: { isPaid } } });
    expect(await tryWith(false)).toMatchObject({ status: 'completed', filteredBy: 'paid' });
    expect(await tryWith(true)).not.toHaveProperty('filteredBy');
  });

  test('a retry from the start forgets the filter of the rounds before', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [paid, note('tell')]);
    const { id } = await calls.start(workflowId, { isPaid: true });
    await calls.ended(id);
    // The run was cancelled between its filter and its end.
    await posthorn.deps.db.run.update({ where: { id }, data: { status: 'cancelled', filteredBy: 'paid' } });
    await calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start' });
    const again = await waitFor('the second round', async () => {
      const run = await calls.getRun(id);
      return run.status === 'completed' && run;
    });
    expect(again).not.toHaveProperty('filteredBy');
  });
});
