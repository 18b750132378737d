import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliverMessageInput, READ_AGAIN_AFTER_MS } from '../../src/kernel/contract/delivery-workflow.ts';
import { deliveryWorkflowId, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { DUE_RUNS_CHANNEL, DUE_CHANNEL } from '../../src/platform/db/waking.ts';
import { listenForDue } from '../../src/delivery/queue/loop/listen-for-due.ts';
import { describeHeld } from '../../src/delivery/record/statements/claim.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/second-api.ts';
import { createReceivers, type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('lost claims', () => {
  const OTHER = 'inc_other';
  const MESSAGES = 60;

  let posthorn: TestPosthorn;
  let receiver: Receiver;
  let isHolding = true;
  const held: ServerResponse[] = [];

  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
    receiver = await startReceiver({ answer: () => (isHolding ? (response) => void held.push(response) : 200) });
  });
  afterAll(async () => {
    await receiver.close();
    await posthorn.stop();
  });

  // Old: after an outage of PostgreSQL longer than a lease both sent, the worker that had claimed and the one that had taken over.
  test('a worker sends nothing that another one has taken over meanwhile', async () => {
    const { pool } = posthorn.deps;
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, timeoutMs: 30_000 });
    const ids = await publishBatch(posthorn, channelId, MESSAGES);
    // Twenty requests are in flight at first, and others wait for them in the worker.
    const asked = await waitFor('requests that hang', () => held.length >= 20 && held.length);
    await waitFor('claims beside those in flight', async () => {
      const { rows } = await pool.query('SELECT FROM deliveries WHERE holder IS NOT NULL');
      return rows.length > asked;
    });
    await pool.query(
      `INSERT INTO incarnations (id, expires_at, host, pid) VALUES ($1, now() + interval '1 hour', 'x', 1)`,
      [OTHER],
    );
    const inFlight = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    const { rows: taken } = await pool.query<{ id: string }>(
      `UPDATE deliveries SET holder = $1 WHERE message_id <> ALL ($2::text[]) AND due_at IS NOT NULL RETURNING message_id AS id`,
      [OTHER, [...inFlight]],
    );
    expect(taken.length).toBe(MESSAGES - inFlight.size);
    await sleep(READ_AGAIN_AFTER_MS + 200);
    isHolding = false;
    for (const response of held) response.writeHead(200).end();

    // Behind all others in the worker's queue.
    const { id: last } = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, last, 'delivered');
    expect(taken.filter(({ id }) => receiver.countOf(id) > 0)).toEqual([]);

    await pool.query('UPDATE incarnations SET expires_at = now() WHERE id = $1', [OTHER]);
    for (const id of ids) await waitForDelivery(posthorn, id, 'delivered');
    expect(ids.map((id) => receiver.countOf(id))).toEqual(ids.map(() => 1));
  });

  // Old: a drain sent it beside the Temporal workflow that the dead worker had begun and not put on record.
  test('a delivery whose worker died behind the start of its Temporal workflow is left to that workflow, where all is drained', async () => {
    const { pool } = posthorn.deps;
    isHolding = true;
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, timeoutMs: 30_000 });
    await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
    const messageIds = [(await publish(posthorn, channelId)).id, (await publish(posthorn, channelId)).id] as const;
    await pool.query(
      `INSERT INTO incarnations (id, expires_at, host, pid) VALUES ('inc_dead', now() + interval '1 hour', 'x', 1)`,
    );
    const { rows } = await pool.query<{ id: string }>(
      `UPDATE deliveries SET holder = 'inc_dead' WHERE message_id = ANY ($1) RETURNING id`,
      [messageIds],
    );
    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
    const [begun] = (
      await describeHeld(
        pool,
        rows.map((row) => row.id),
        'inc_dead',
      )
    ).filter(({ messageId }) => messageId === messageIds[0]);
    if (begun === undefined) throw new Error('one delivery expected');
    const carrier = deliveryWorkflowId(begun.id, begun.round);
    const input: DeliverMessageInput = {
      deliveryId: begun.id,
      round: begun.round,
      policy: begun.policy,
      timeoutMs: begun.timeoutMs,
      attempts: 0,
      policyAttempts: 0,
      firstTry: 'regular',
      target: 'POST',
      isSearchable: false,
    };
    await posthorn.temporal.workflow.start(WORKFLOW_TYPES.deliverMessage, {
      workflowId: carrier,
      taskQueue: posthorn.taskQueue,
      args: [input],
    });
    await waitFor('the request of the workflow', () => receiver.countOf(messageIds[0]) === 1);

    await pool.query(`UPDATE incarnations SET expires_at = now() WHERE id = 'inc_dead'`);
    await waitFor('the request of the drain', () => receiver.countOf(messageIds[1]) === 1);
    await waitFor('the worker to find the workflow, or a second request', async () => {
      const found = await pool.query<{ carrier: string }>('SELECT carrier FROM deliveries WHERE id = $1', [begun.id]);
      return found.rows[0]?.carrier === carrier || receiver.countOf(messageIds[0]) > 1;
    });
    expect(receiver.countOf(messageIds[0])).toBe(1);
    for (const response of held) if (!response.writableEnded) response.writeHead(200).end();
    for (const messageId of messageIds) await waitForDelivery(posthorn, messageId, 'delivered');
    expect(messageIds.map((messageId) => receiver.countOf(messageId))).toEqual([1, 1]);
  });
});

describe('late replies', () => {
  // Two scans for orphaned claims, each at least 5 s after the one before; on a starved machine most of a minute.
  const SCANNED_WITHIN_MS = 120_000;
  const SCANS = 3;

  let posthorn: TestPosthorn;
  let receiver: Receiver;
  const held: ServerResponse[] = [];
  const answerAll = (): void => {
    for (const response of held.splice(0)) response.writeHead(200).end();
  };
  beforeAll(async () => {
    // Everything goes through the drain, which reads a delivery that is not fresh before it sends.
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
    receiver = await startReceiver({ answer: () => (response) => void held.push(response) });
  });
  afterAll(async () => {
    answerAll();
    await receiver.close();
    await posthorn.stop();
  });

  type Query = (asked: unknown, ...more: unknown[]) => Promise<unknown>;
  const isNamed = (asked: unknown, name: string): boolean =>
    typeof asked === 'object' && asked !== null && 'name' in asked && asked.name === name;

  // Old: the claims were released as orphaned, this process claimed and sent one of them, and sent it once more when the reply came.
  test('a delivery whose publish is answered late by PostgreSQL is sent once', async () => {
    const { pool } = posthorn.deps;
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, timeoutMs: 30_000 });
    let scans = 0;
    let committed = false;
    let pass = (): void => {};
    const isPassed = new Promise<void>((resolve) => (pass = resolve));
    const query = pool.query.bind(pool) as unknown as Query;
    // `as`: one of the overloads of pg. The rows are committed while their reply is on its way.
    pool.query = (async (asked: unknown, ...more: unknown[]) => {
      const result = await query(asked, ...more);
      if (isNamed(asked, 'held_by') && committed) scans += 1;
      if (isNamed(asked, 'publish') && !committed) {
        committed = true;
        await isPassed;
      }
      return result;
    }) as unknown as typeof pool.query;

    const publishing = publish(posthorn, channelId);
    await waitFor(
      'scans for orphaned claims, or a request',
      () => scans >= SCANS || receiver.requests.length > 0,
      SCANNED_WITHIN_MS,
    );
    const early = receiver.requests.length;
    pass();
    const { id: messageId } = await publishing;
    await waitFor('the request', () => receiver.countOf(messageId) > 0);
    // A later message is queued after everything that the late reply has brought.
    const { id: later } = await publish(posthorn, channelId);
    await waitFor('the next request', () => receiver.countOf(later) > 0);
    answerAll();
    await waitForDelivery(posthorn, messageId, 'delivered');

    expect([early, receiver.countOf(messageId)]).toEqual([0, 1]);
  });
});

describe('lost notices', () => {
  const receivers = createReceivers();
  afterAll(async () => {
    await receivers.end();
  });

  // PostgreSQL keeps a notification for nobody who does not listen at its moment, and an API of another process hands nothing over.
  test('a delivery and a run are found though no notification reaches the worker', async () => {
    const { pool } = posthorn.deps;
    const receiver = await receivers.start({});
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    const { body: workflow } = await posthorn.request<{ id: string }>('POST', '/v1/workflows', {
      name: 'on orders',
      trigger: { type: 'event', config: { channelIds: [channelId] } },
      steps: [{ id: 'note', type: 'action', config: { action: 'log', message: 'seen' } }],
    });
    expect((await posthorn.request('POST', `/v1/workflows/${workflow.id}/activate`)).status).toBe(200);

    const silencer = await pool.connect();
    const { rows } = await silencer.query<{ name: string }>('SELECT current_database() AS name');
    // A search path that names public first finds this one before PostgreSQL's own. Connections that stand keep their path, so none stays.
    await silencer.query(`CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE sql AS ''`);
    await silencer.query(`ALTER DATABASE "${rows[0]?.name}" SET search_path = public, pg_catalog`);
    await silencer.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    silencer.release(true);
    const heard: string[] = [];
    const witnesses = [DUE_CHANNEL, DUE_RUNS_CHANNEL].map((channel) => {
      const onNotice = (): void => void heard.push(channel);
      return listenForDue(pool, posthorn.deps.log, { channel, onBegin: () => undefined, onNotice });
    });
    await waitFor('the worker and its witnesses to listen', async () => {
      const found = await pool
        .query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query = ANY ($1)`,
          [[`LISTEN ${DUE_CHANNEL}`, `LISTEN ${DUE_RUNS_CHANNEL}`]],
        )
        // On a connection that has just been ended.
        .catch(() => undefined);
      return found?.rows[0]?.count === 4;
    });

    const api = await startSecondApi(posthorn);
    try {
      const message = { eventType: 'order.created', payload: { n: 1 } };
      const { status } = await api.request('POST', `/v1/channels/${channelId}/messages`, message);
      expect(status).toBe(202);
      await waitFor('the message to arrive', () => receiver.requests.length === 1);
      await waitFor('the run to end', async () => {
        const { body } = await posthorn.request<{ data: { status: string }[] }>(
          'GET',
          `/v1/workflows/${workflow.id}/runs`,
        );
        return body.data.some((run) => run.status === 'completed');
      });
      expect(heard).toEqual([]);
    } finally {
      for (const witness of witnesses) await witness.stop();
      await api.stop();
    }
  });
});

describe('forgotten claims', () => {
  // Two looks are needed, and a look rests two hundred times as long as it took: on a starved machine that is most of a minute.
  const RELEASED_WITHIN_MS = 120_000;

  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  // Old: it was held for as long as the worker lived, for PostgreSQL had gone away between a claim and its answer.
  test('a delivery that a worker holds without knowing is given back and sent, once', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
    const { id: messageId } = await publish(posthorn, channelId);
    const { rowCount } = await posthorn.deps.pool.query(
      `UPDATE deliveries SET holder = (SELECT id FROM incarnations LIMIT 1) WHERE message_id = $1`,
      [messageId],
    );
    expect(rowCount).toBe(1);
    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);

    await waitForDelivery(posthorn, messageId, 'delivered', RELEASED_WITHIN_MS);

    expect(receiver.countOf(messageId)).toBe(1);
  });
});

describe('drain taken over', () => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene('0');
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  /** Publishes a message; the Temporal workflow that has delivered it. */
  const carrierOfNext = async (channelId: string): Promise<string> => {
    const { id: messageId } = await publish(scene.posthorn, channelId);
    const { id } = await waitForDelivery(scene.posthorn, messageId, 'delivered');
    return (await scene.attemptsOf(id))[0]?.temporalWorkflowId ?? '';
  };

  test('a drain that Temporal has given up ends beside the next one, which goes on sending', async () => {
    const { channelId } = await scene.subscribed([200]);
    const first = await carrierOfNext(channelId);
    expect(first).toMatch(/^drain\//);

    // As after a lost heartbeat, or with Temporal's whole store lost: the workflow is over, and its activity learns of it by its next
    // heartbeat, up to some seconds later.
    await scene.posthorn.temporal.workflow.getHandle(first).terminate();
    const second = await waitFor('the next drain', async () => {
      const carrier = await carrierOfNext(channelId);
      return carrier !== first && carrier;
    });

    // For longer than a heartbeat takes there and back.
    for (let n = 0; n < 25; n += 1) {
      const carrier = await carrierOfNext(channelId);
      expect(carrier).not.toBe(first);
      // A stall longer than a heartbeat's timeout begins another drain; the second never ends by itself.
      if (carrier !== second) {
        const { status } = await scene.posthorn.temporal.workflow.getHandle(second).describe();
        expect(status.name).not.toBe('COMPLETED');
      }
      await sleep(200);
    }
  });
});
