import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { READ_AGAIN_AFTER_MS } from '../../src/kernel/rules/read-age.ts';
import { waitFor } from '../support/check/wait-for.ts';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

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
