import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findVersion } from '../../src/automations/definitions/store.ts';
import { createPlans } from '../../src/automations/engine/plans.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { createAdmit } from '../../src/automations/starting/admit.ts';
import { removeOver } from '../../src/automations/starting/gate-store.ts';
import { abandonRuns } from '../../src/automations/starting/due-store.ts';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { startWorker } from '../../src/process/start-worker.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createSubscription } from '../support/make/factories.ts';
import { github, inboundCalls } from '../support/make/inbound-calls.ts';
import { ask, note, orderCalls } from '../support/make/order-calls.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('webhook trigger', () => {
  let receiver: Receiver;
  let inbound: ReturnType<typeof inboundCalls>;
  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    receiver = await startReceiver();
    inbound = inboundCalls(posthorn);
    calls = workflowCalls(posthorn);
  });
  afterAll(async () => {
    await receiver.close();
  });

  // The form of GitHub's push events, cut to the parts that a workflow would read.
  const PUSH = JSON.stringify({
    ref: 'refs/heads/main',
    after: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
    repository: { id: 1_296_269, full_name: 'octocat/Hello-World' },
    head_commit: { message: 'Fix all the bugs', author: { name: 'Monalisa Octocat' } },
  });

  const tell = (path: string): Step => ({
    id: 'tell',
    type: 'action',
    config: {
      action: 'http',
      url: new URL(path, receiver.url).href,
      body: { text: '{{ event.payload.head_commit.author.name }} pushed to {{ event.payload.repository.full_name }}' },
    },
  });

  test('a signed request from GitHub becomes a message, starts a run and calls an http step', async () => {
    const { webhook, channelId } = await inbound.makeWebhook();
    const workflowId = await calls.activate(
      { type: 'webhook', config: { webhookId: webhook.id, filter: 'payload.ref == "refs/heads/main"' } },
      [tell('/pushes')],
    );

    const { body } = await inbound.send(webhook.id, PUSH, github(PUSH, 'push-1'));

    const run = await calls.ended((await calls.onlyRun(workflowId)).id);
    expect(run).toMatchObject({
      status: 'completed',
      trigger: { type: 'webhook', messageId: body.messageId, channelId },
    });
    const [request, ...more] = receiver.requests.filter(({ path }) => path === '/pushes');
    expect(more).toEqual([]);
    expect(JSON.parse(request?.body ?? '')).toEqual({ text: 'Monalisa Octocat pushed to octocat/Hello-World' });
    expect(stepOf(run, 'tell').output).toMatchObject({ status: 200 });
  });

  test.each([
    ['NUL', String.raw`"\u0000"`, 'completed'],
    ['half of a surrogate pair', String.raw`"\ud83d"`, 'completed'],
    ['a number beyond a double', '1e400', 'failed'],
    ['a prototype', '{"__proto__":{"a":1}}', 'completed'],
    ['300 KiB, of which an output has too many', `"${'x'.repeat(300_000)}"`, 'failed'],
  ])('a run that passes on an event type that publishers may not use ends: %s', async (_, value, status) => {
    const { webhook } = await inbound.makeWebhook();
    const workflowId = await calls.activate({ type: 'webhook', config: { webhookId: webhook.id } }, [
      {
        id: 'made',
        type: 'transform',
        config: { output: { whole: '{{ event.payload }}', text: 'is {{ event.payload.a }}' } },
      },
      { id: 'note', type: 'action', config: { action: 'log', text: '{{ steps.made.output.text }}' } },
      {
        ...tell('/odd'),
        config: { action: 'http', url: new URL('/odd', receiver.url).href, body: { a: '{{ event.payload.a }}' } },
      },
    ]);
    const body = `{"a":${value}}`;
    expect((await inbound.send(webhook.id, body, github(body, 'odd'))).status).toBe(200);
    const run = await calls.ended((await calls.onlyRun(workflowId)).id);
    expect(run.status).toBe(status);
  });

  test('messages of another webhook, of publishers, of other types and not matching the filter start nothing', async () => {
    const { webhook, channelId } = await inbound.makeWebhook();
    const { id: otherId } = await inbound.make('/v1/webhooks', {
      name: 'other',
      channelId,
      provider: 'github',
      secrets: ['a secret that both sides know'],
    });
    const trigger = { webhookId: webhook.id, eventTypes: ['push'], filter: 'payload.ref == "refs/heads/main"' };
    const workflowId = await calls.activate({ type: 'webhook', config: trigger }, [
      { id: 'note', type: 'action', config: {} },
    ]);
    const side = PUSH.replace('heads/main', 'heads/side');

    await calls.publish(channelId, JSON.parse(PUSH), 'push');
    await inbound.send(otherId, PUSH, github(PUSH, 'other'));
    await inbound.send(webhook.id, side, github(side, 'side'));
    await inbound.send(webhook.id, PUSH, { ...github(PUSH, 'ping'), 'x-github-event': 'issues' });
    const { body } = await inbound.send(webhook.id, PUSH, github(PUSH, 'last'));

    // Runs are stored with their messages: the last one's is there once it is answered, and so would the others' be.
    const runs = await calls.runsOf(workflowId);
    expect(runs.map(({ trigger: { messageId } }) => messageId)).toEqual([body.messageId]);
  });

  test('a duplicate event starts one run', async () => {
    const { webhook } = await inbound.makeWebhook();
    const workflowId = await calls.activate({ type: 'webhook', config: { webhookId: webhook.id } }, [
      { id: 'note', type: 'action', config: {} },
    ]);
    await inbound.send(webhook.id, PUSH, github(PUSH, 'again'));
    await inbound.send(webhook.id, PUSH, github(PUSH, 'again'));
    expect(await calls.runsOf(workflowId)).toHaveLength(1);
  });

  test('an unknown webhook is refused when the workflow is written', async () => {
    const answer = await posthorn.request('POST', '/v1/workflows', {
      name: 'wrong',
      trigger: { type: 'webhook', config: { webhookId: 'whk_00000000000000000000000000' } },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          details: { field: 'trigger.config.webhookId', reason: 'must be the id of a webhook in this environment' },
        },
      },
    });
  });
});

describe('service event triggers', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  let system: string;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({ answer: () => 500 });
    system = await systemChannelOf(posthorn);
  });
  afterAll(async () => {
    await receiver.close();
  });

  const stop = { id: 'stop', type: 'end', config: { status: 'failed' } };
  const note = (text: unknown) => [{ id: 'note', type: 'action', config: { action: 'log', text } }];
  const failed = async (workflowId: string, payload: unknown = {}): Promise<RunAnswer> => {
    const run = await calls.ended((await calls.start(workflowId, payload)).id);
    expect(run.status).toBe('failed');
    return run;
  };
  const wouldStart = async (workflowId: string, event: object) =>
    (await calls.good<{ triggerMatch: object }>('POST', `/v1/workflows/${workflowId}/test`, { event })).triggerMatch;

  // Regression: such a workflow was valid and active, its trial said that it would begin, and no service event ever began it.
  test('a failed run starts the workflows whose trigger names the channel or the type of its event, as their test runs say', async () => {
    const failing = await calls.activate({ type: 'manual' }, [stop]);
    const event = { channelId: system, eventType: 'run.failed', payload: { workflowId: failing } };
    const filter = `payload.workflowId == "${failing}"`;
    const cases: [config: object, begins: boolean][] = [
      [{ channelId: system, eventTypes: ['run.failed'], filter }, true],
      [{ channelId: system, filter }, true],
      [{ eventTypes: ['run.*'], filter }, true],
      [{ channelId: system, eventTypes: ['delivery.*'], filter }, false],
      [{ channelId: system, filter: `payload.workflowId == "another"` }, false],
      [{ channelId: await calls.channel(), filter }, false],
      // It takes the messages of publishers alone.
      [{ filter }, false],
    ];
    const workflows = [];
    for (const [config, begins] of cases) {
      const id = await calls.activate({ type: 'event', config }, note('{{ event.payload.runId }}'));
      expect([config, await wouldStart(id, event)]).toEqual([config, expect.objectContaining({ wouldStart: begins })]);
      workflows.push({ id, begins });
    }
    const run = await failed(failing);
    for (const { id } of workflows.filter(({ begins }) => begins)) {
      const begun = await calls.ended((await calls.onlyRun(id)).id);
      expect(begun).toMatchObject({ status: 'completed', trigger: { type: 'event', channelId: system } });
      expect(stepOf(begun, 'note').output).toMatchObject({ text: run.id });
    }
    // All are begun in one transaction.
    for (const { id, begins } of workflows) expect(await calls.runsOf(id)).toHaveLength(begins ? 1 : 0);

    for (const { id } of workflows) await calls.good('POST', `/v1/workflows/${id}/pause`);
    await failed(failing);
    await waitFor('all service events to be decided on', async () => {
      const { rows } = await posthorn.deps.pool.query('SELECT FROM awaited_messages');
      return rows.length === 0;
    });
    for (const { id, begins } of workflows) expect(await calls.runsOf(id)).toHaveLength(begins ? 1 : 0);
  });

  test('a delivery that becomes a dead letter starts a workflow', async () => {
    const channelId = await calls.channel();
    const subscription = await createSubscription(posthorn, {
      channelId,
      webhookUrl: receiver.url,
      retryPolicy: { maxRetries: 0 },
    });
    const workflowId = await calls.activate(
      {
        type: 'event',
        config: {
          channelId: system,
          eventTypes: ['delivery.exhausted'],
          filter: `payload.channelId == "${channelId}"`,
        },
      },
      note('{{ event.payload.subscriptionId }} {{ event.payload.reason }}'),
    );
    await calls.publish(channelId);
    const run = await calls.ended((await calls.onlyRun(workflowId)).id);
    expect(stepOf(run, 'note').output).toMatchObject({ text: `${subscription.id} exhausted` });
  });

  test('a run waits for a service event', async () => {
    const failing = await calls.activate({ type: 'manual' }, [stop]);
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'told',
        type: 'wait_for_event',
        config: { channelIds: [system], eventTypes: ['run.failed'], filter: `payload.workflowId == "${failing}"` },
      },
    ]);
    const waiting = await calls.start(workflowId);
    await waitFor('the run to wait', async () => (await calls.getRun(waiting.id)).status === 'waiting');
    const { id: runId } = await failed(failing);
    const run = await calls.ended(waiting.id);
    expect(stepOf(run, 'told').output).toMatchObject({ matched: true, event: { payload: { runId } } });
  });

  const endOfChain =
    'the chain of runs that led to it is too long: a service event counts as 4 of the 10 runs that a chain can have';

  test('a workflow that is started by its own failure ends with a skipped run, which says why', async () => {
    const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'circle', steps: [stop] });
    const config = { eventTypes: ['run.failed'], filter: `payload.workflowId == "${id}"` };
    await calls.good('PATCH', `/v1/workflows/${id}`, { trigger: { type: 'event', config } });
    await calls.good('POST', `/v1/workflows/${id}/activate`);
    await failed(id);
    const skipped = await waitFor('the end of the chain', async () =>
      (await calls.runsOf(id)).find(({ status }) => status === 'skipped'),
    );
    expect(skipped.reason).toBe(endOfChain);
    // The first one was begun by hand, and two by failures.
    const statuses = (await calls.runsOf(id)).map(({ status }) => status);
    expect(statuses).toEqual(['skipped', 'failed', 'failed', 'failed']);
  });

  test('a workflow that is started by the dead letter of its own message ends in the same way', async () => {
    const channelId = await calls.channel();
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } });
    const config = {
      channelId: system,
      eventTypes: ['delivery.exhausted'],
      filter: `payload.channelId == "${channelId}"`,
    };
    const id = await calls.activate({ type: 'event', config }, [
      {
        id: 'again',
        type: 'action',
        config: { action: 'publish', channelId, eventType: 'order.created', payload: {} },
      },
    ]);
    await calls.publish(channelId);
    const skipped = await waitFor('the end of the chain', async () =>
      (await calls.runsOf(id)).find(({ status }) => status === 'skipped'),
    );
    expect(skipped.reason).toBe(endOfChain);
    const runs = await Promise.all((await calls.runsOf(id)).map((run) => calls.ended(run.id)));
    expect(runs.map(({ status }) => status)).toEqual(['skipped', 'completed', 'completed']);
  });
});

describe('dedupe', () => {
  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof workflowCalls>;
  let orders: ReturnType<typeof orderCalls>;

  beforeAll(async () => {
    posthorn = await startPosthorn();
    calls = workflowCalls(posthorn);
  });
  afterAll(() => posthorn.stop());

  // The workflows of earlier tests do not receive it.
  beforeEach(async () => {
    orders = orderCalls(posthorn, calls, await calls.channel());
  });

  const byOrder = (window = '2s') => ({ dedupe: { key: 'event.payload.order', window } });
  const keysOf = async (workflowId: string): Promise<string[]> => {
    const { rows } = await posthorn.deps.pool.query<{ runId: string }>(
      'SELECT run_id AS "runId" FROM run_key_spans WHERE workflow_id = $1',
      [workflowId],
    );
    return rows.map(({ runId }) => runId);
  };

  test('one of 50 messages with the same key starts a run, and the others are skipped with its id', async () => {
    const workflowId = await calls.activate(orders.placed(byOrder('24h')), [note]);
    await Promise.all(Array.from({ length: 50 }, () => orders.place({ order: 'A-1' })));
    await orders.place({ order: 'A-2' });
    const runs = await waitFor('all runs to end', async () => {
      const found = await calls.runsOf(workflowId);
      return found.length === 51 && found.every(({ status }) => status !== 'pending' && status !== 'running') && found;
    });
    const skipped = runs.filter(({ status }) => status === 'skipped');
    expect(skipped).toHaveLength(49);
    const [first, ...others] = runs.filter(({ status }) => status === 'completed');
    expect(others).toHaveLength(1);
    const reasons = new Set(skipped.map(({ reason }) => reason));
    expect(reasons.size).toBe(1);
    expect([first, ...others].map((run) => `${run?.id} has the same key`)).toContain([...reasons][0]);

    await calls.good('POST', `/v1/runs/${skipped[0]?.id}/retry`);
    expect(await calls.ended(skipped[0]?.id ?? '')).toMatchObject({ status: 'completed' });
  });

  test('a key is free again after its window, and a run without it is never skipped', async () => {
    const workflowId = await calls.activate(orders.placed(byOrder()), [note]);
    await orders.placeInOrder([{ order: 'B-1' }, { item: 1 }, { item: 2 }]);
    await orders.standing(workflowId, ['completed', 'completed', 'completed']);
    await orders.windowsOver(workflowId);
    await orders.place({ order: 'B-1' });
    await orders.standing(workflowId, ['completed', 'completed', 'completed', 'completed']);
  });

  test('messages of one window start one run even if no worker ran for longer than the window', async () => {
    const flow = { dedupe: { key: 'event.channelId', window: '2s' } };
    const workflowId = await calls.activate(orders.placed(flow), [note]);
    await posthorn.worker.stop();
    await orders.placeAtOnce(3);
    const over = Date.now() + 2_000;
    await waitFor('the window to pass', () => Date.now() > over);
    await orders.place();
    await posthorn.worker.start();
    await orders.standing(workflowId, ['completed', 'skipped', 'skipped', 'completed']);
  });

  test('the first run of a key starts even if it waited beyond its window', async () => {
    const flow = { ...byOrder(), concurrency: { limit: 1 } };
    const workflowId = await calls.activate(orders.placed(flow), [ask]);
    await orders.placeInOrder([{ order: 'D-1' }, { order: 'D-2' }]);
    await orders.queued(workflowId, 1);
    await orders.windowsOver(workflowId);
    await orders.place({ order: 'D-2' });
    const [first, second] = await orders.standing(workflowId, ['waiting', 'pending', 'pending']);
    await orders.queued(workflowId, 2);
    await calls.good('POST', `/v1/runs/${first?.id}/approve`);
    const [, , third] = await orders.standing(workflowId, ['completed', 'waiting', 'pending']);
    for (const id of [second?.id, third?.id]) await calls.good('POST', `/v1/runs/${id}/cancel`);
  });

  test('a run holds its key however often and by however many workers it is checked, and no other run does', async () => {
    const workflowId = await calls.activate(orders.placed(byOrder('24h')), [note]);
    await posthorn.worker.stop();
    await orders.placeInOrder(Array.from({ length: 8 }, () => ({ order: 'E-1' })));
    const { pool, clock, db } = posthorn.deps;
    const admit = createAdmit({
      pool,
      clock,
      plans: createPlans((...version) => findVersion(db, ...version)),
      expressions: createStepExpressions(),
    });
    const { rows } = await pool.query(
      `SELECT id AS "runId", round, workflow_id AS "workflowId", version, environment_id AS "environmentId"
     FROM runs WHERE workflow_id = $1 ORDER BY id DESC`,
      [workflowId],
    );
    const admissions = await Promise.all(rows.map(admit));
    expect(admissions.toSorted()).toEqual(['begins', ...Array.from({ length: 7 }, () => 'skipped')]);
    expect(await admit(rows[admissions.indexOf('begins')])).toBe('begins');
    await posthorn.worker.start();
  });

  test('a key is deleted after its window, once no run of that time can check it', async () => {
    const workflowId = await calls.activate(orders.placed(byOrder()), [note]);
    await orders.placeInOrder([{ order: 'F-1' }, { order: 'F-2' }]);
    const [, asking] = await orders.standing(workflowId, ['completed', 'completed']);
    const { pool } = posthorn.deps;
    await removeOver(pool);
    expect(await keysOf(workflowId)).toHaveLength(2);
    const setStatus = (status: string) => pool.query('UPDATE runs SET status = $2 WHERE id = $1', [asking?.id, status]);
    await setStatus('pending');
    await pool.query(`UPDATE run_key_spans SET until = now() - interval '2 minutes' WHERE workflow_id = $1`, [
      workflowId,
    ]);
    await removeOver(pool);
    expect(await keysOf(workflowId)).toHaveLength(2);
    await setStatus('completed');
    await removeOver(pool);
    expect(await keysOf(workflowId)).toEqual([]);
  });
});

describe('flow', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  let { place, placed, placeAtOnce, placeInOrder, queued, standing } = {} as ReturnType<typeof orderCalls>;
  let letThemEnd = (): void => {};
  /** The receiver responds to no request before. */
  const mayEnd = new Promise<void>((resolve) => {
    letThemEnd = resolve;
  });
  /** Requests in progress at the receiver: now, and the maximum, by path. */
  const present = new Map<string, { now: number; most: number }>();

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({
      answer: ({ path }) => {
        const count = present.get(path) ?? { now: 0, most: 0 };
        count.now += 1;
        count.most = Math.max(count.most, count.now);
        present.set(path, count);
        return (response) =>
          void mayEnd
            .then(() => setTimeout(20))
            .then(() => {
              count.now -= 1;
              response.writeHead(200).end();
            });
      },
    });
  });
  afterAll(async () => {
    await receiver.close();
  });

  // The workflows of earlier tests do not receive it.
  beforeEach(async () => {
    ({ place, placed, placeAtOnce, placeInOrder, queued, standing } = orderCalls(
      posthorn,
      calls,
      await calls.channel(),
    ));
  });
  const to = (path: string): string => `${new URL(receiver.url).origin}${path}`;
  const approve = (runId: string | undefined) => calls.good('POST', `/v1/runs/${runId}/approve`);

  describe('concurrency', () => {
    test('never lets more runs execute than the limit, even with two workers', async () => {
      const temporal = { address: currentRun().temporalAddress, namespace: 'default' };
      const memory = { publishingConfigs: createConfigs(posthorn.deps.pool) };
      const second = await startWorker({ ...posthorn.deps, ...memory }, temporal, { taskQueue: posthorn.taskQueue });
      const call: Step = { id: 'call', type: 'action', config: { action: 'http', url: to('/three') } };
      const workflowId = await calls.activate(placed({ concurrency: { limit: 3 } }), [call]);
      const count = 40;
      await placeAtOnce(count);
      await queued(workflowId, count - 3);
      await waitFor('three requests', () => present.get('/three')?.now === 3);
      letThemEnd();
      await waitFor('all runs to complete', async () => {
        const { rowCount } = await posthorn.deps.pool.query(
          `SELECT FROM runs WHERE workflow_id = $1 AND status = 'completed'`,
          [workflowId],
        );
        return rowCount === count;
      });
      await second.stop();
      expect(present.get('/three')?.most).toBe(3);
    });

    test('admits runs in the order of their creation', async () => {
      const first = { ...ask, config: { title: 'Go on?', if: 'event.payload.n == 0' } };
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [first]);
      const { id } = await place({ n: 0 }).then(() => calls.onlyRun(workflowId));
      await placeAtOnce(12);
      await queued(workflowId, 12);
      await waitFor('the first one to ask', async () => (await calls.getRun(id)).status === 'waiting');
      await approve(id);
      const { rows } = await waitFor('all runs to complete', async () => {
        const found = await posthorn.deps.pool.query<{ id: string }>(
          `SELECT id FROM runs WHERE workflow_id = $1 AND status = 'completed' ORDER BY started_at`,
          [workflowId],
        );
        return found.rowCount === 13 && found;
      });
      const ids = rows.map((run) => run.id);
      expect(ids).toEqual(ids.toSorted());
    });

    test('with a key, allows that many runs of each value', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1, key: 'event.payload.customer' } }), [
        ask,
      ]);
      await placeInOrder([{ customer: 'a' }, { customer: 'b' }, { customer: 'a' }, { customer: 'c' }]);
      const [first, second, third] = await standing(workflowId, ['waiting', 'waiting', 'pending', 'waiting']);
      await approve(second?.id);
      await standing(workflowId, ['waiting', 'completed', 'pending', 'waiting']);
      await approve(first?.id);
      await standing(workflowId, ['completed', 'completed', 'waiting', 'waiting']);
      await approve(third?.id);
    });

    test('frees a slot when a run is cancelled, or ended in Temporal', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
      await placeInOrder([{}, {}, {}]);
      const [first, second] = await standing(workflowId, ['waiting', 'pending', 'pending']);
      await calls.good('POST', `/v1/runs/${first?.id}/cancel`);
      await standing(workflowId, ['cancelled', 'waiting', 'pending']);
      await posthorn.temporal.workflow.getHandle(`run/${second?.id}/1`).cancel();
      const [, , third] = await standing(workflowId, ['cancelled', 'cancelled', 'waiting']);
      await approve(third?.id);
      expect(stepOf(await calls.ended(third?.id ?? ''), 'ask').status).toBe('completed');
    });

    test('with `skip` ends a run that finds no free slot', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1, onLimit: 'skip' } }), [ask]);
      await placeInOrder([{}, {}]);
      const [first, second] = await standing(workflowId, ['waiting', 'skipped']);
      expect(second).toMatchObject({ reason: 'the concurrency limit of 1 is reached' });
      await approve(first?.id);
      await calls.ended(first?.id ?? '');
      await place();
      const [, , third] = await standing(workflowId, ['completed', 'skipped', 'waiting']);
      await approve(third?.id);
    });

    test('with `cancelRunning` cancels the oldest run', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 2, onLimit: 'cancelRunning' } }), [ask]);
      for (const wanted of [['waiting'], ['waiting', 'waiting'], ['cancelled', 'waiting', 'waiting']]) {
        await place();
        await standing(workflowId, wanted);
      }
      const [first, , third] = await standing(workflowId, ['cancelled', 'waiting', 'waiting']);
      expect(first).toMatchObject({ reason: `cancelled by the newer run ${third?.id}` });
    });

    test('lets waiting runs be cancelled, wait while the workflow is paused, and be deleted with it', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
      await placeInOrder([{}, {}, {}, {}]);
      const [first, second, third] = await standing(workflowId, ['waiting', 'pending', 'pending', 'pending']);
      await calls.good('POST', `/v1/runs/${second?.id}/cancel`);
      await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
      await approve(first?.id);
      await standing(workflowId, ['completed', 'cancelled', 'pending', 'pending']);
      await calls.good('POST', `/v1/workflows/${workflowId}/activate`);
      await standing(workflowId, ['completed', 'cancelled', 'waiting', 'pending']);
      await posthorn.request('DELETE', `/v1/workflows/${workflowId}`);
      const [, , , fourth] = await standing(workflowId, ['completed', 'cancelled', 'waiting', 'cancelled']);
      expect(fourth).toMatchObject({ reason: 'its workflow was deleted' });
      await approve(third?.id);
    });

    test('keeps the slots of runs when the store of Temporal is lost', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
      await placeInOrder([{}, {}, {}]);
      const [first, second] = await standing(workflowId, ['waiting', 'pending', 'pending']);
      await abandonRuns(posthorn.deps.pool);
      await waitFor('the second round', async () => {
        const { rows } = await posthorn.deps.pool.query('SELECT carrier FROM runs WHERE id = $1', [first?.id]);
        return rows[0]?.carrier === `run/${first?.id}/2`;
      });
      await standing(workflowId, ['waiting', 'pending', 'pending']);
      await approve(first?.id);
      const [, , third] = await standing(workflowId, ['completed', 'waiting', 'pending']);
      for (const id of [second?.id, third?.id]) await calls.good('POST', `/v1/runs/${id}/cancel`);
    });

    test('applies a raised or removed limit to waiting runs', async () => {
      const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
      await placeInOrder([{}, {}, {}, {}]);
      await standing(workflowId, ['waiting', 'pending', 'pending', 'pending']);
      await calls.good('PATCH', `/v1/workflows/${workflowId}`, { trigger: placed({ concurrency: { limit: 2 } }) });
      await standing(workflowId, ['waiting', 'waiting', 'pending', 'pending']);
      await calls.good('PATCH', `/v1/workflows/${workflowId}`, { trigger: placed() });
      await standing(workflowId, ['waiting', 'waiting', 'waiting', 'waiting']);
    });
  });

  test('fails only the run of a definition that cannot be read, and blocks no other', async () => {
    const unreadable = await calls.activate({ type: 'manual' }, [note]);
    const good = await calls.activate({ type: 'manual' }, [note]);
    await posthorn.deps.pool.query(
      `UPDATE workflow_versions SET trigger = '{"type":"nonsense"}' WHERE workflow_id = $1`,
      [unreadable],
    );
    const runs = [await calls.start(unreadable), await calls.start(good)];
    const [failed, completed] = await Promise.all(runs.map(({ id }) => calls.ended(id)));
    expect([failed?.status, failed?.error?.code, completed?.status]).toEqual(['failed', 'INTERNAL', 'completed']);
  });

  test.each([
    [{ dedupe: {} }, 'trigger.config.dedupe.key', /is required/],
    [{ dedupe: { key: 'event.id', window: '31d' } }, 'trigger.config.dedupe.window', /at most 30d/],
    [
      { dedupe: { key: 'steps.note.output' } },
      'trigger.config.dedupe.key',
      /before the first step and must not read steps: steps/,
    ],
    [{ concurrency: { limit: 0 } }, 'trigger.config.concurrency.limit', /1/],
    [{ concurrency: { limit: 1, key: 'evnt.id' } }, 'trigger.config.concurrency.key', /evnt/],
    [{ concurrency: { limit: 1, onLimit: 'wait' } }, 'trigger.config.concurrency.onLimit', /queue/],
  ])('refuses %j', async (config, field, reason) => {
    const { status, body } = await posthorn.request<{ error: { details: { field: string; reason: string } } }>(
      'POST',
      '/v1/workflows',
      { name: 'refused', trigger: placed(config), steps: [note] },
    );
    expect([status, body.error.details.field]).toEqual([400, field]);
    expect(body.error.details.reason).toMatch(reason);
  });
});
