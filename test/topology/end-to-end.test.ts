import { request } from 'node:http';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { Posthorn } from '../../client/src/index.ts';
import { brokenPromises, untilSettled } from '../support/check/invariants.ts';
import { createScenes, evidenceOf } from '../support/make/scene.ts';
import { followStream } from '../support/world/stream-follower.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { useTopology } from './own-topology.ts';
import type { Topology } from './topology.ts';

const own = useTopology();
let topology: Topology;
let pool: Pool;
let temporal: Client;
let client: Posthorn;
const scenes = createScenes(() => ({ urlOf: () => topology.url, key: topology.key }));

beforeAll(() => {
  ({ topology, pool, temporal } = own());
  client = new Posthorn({ baseUrl: topology.url, credentials: { apiKey: topology.key } });
});
afterEach(scenes.end);

test('a message published through the proxy arrives at every subscription, signed, and no Temporal workflow is left', async () => {
  const scene = await scenes.set(3, () => 200);
  const publications = await Promise.all(
    Array.from({ length: 60 }, (_, n) => scene.recorder.publish(scene.channelId, (n % 3) + 1)),
  );
  expect(publications.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  await untilSettled(pool, temporal, scene.channelId);
  expect(await brokenPromises(evidenceOf(scene, pool))).toEqual([]);
  expect(scene.receiver.requests).toHaveLength(3 * 120);
});

test('both APIs answer, and count one rate limit in Redis', async () => {
  const made = await client.apiKeys.create({ name: 'counted' });
  const left: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const answer = await fetch(`${topology.url}/v1/channels`, { headers: { authorization: `Bearer ${made.key}` } });
    expect(answer.status).toBe(200);
    left.push(Number(answer.headers.get('x-ratelimit-remaining')));
  }
  // Two APIs that counted for themselves would each go down from the same number.
  expect(left).toEqual(left.map((_, n) => (left[0] ?? 0) - n));
});

test('a failing delivery is a Temporal workflow, then a dead letter, and its replay arrives', async () => {
  let isMended = false;
  const scene = await scenes.set(1, () => (isMended ? 200 : 500), {
    retryPolicy: { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000 },
  });
  await scene.recorder.publish(scene.channelId);
  const dead = await waitFor('a dead letter', async () => {
    for await (const letter of client.deadLetters.list({ channelId: scene.channelId })) return letter;
    return undefined;
  });
  const { status, workflowId } = await temporal.workflow.getHandle(`delivery/${dead.deliveryId}/1`).describe();
  expect([status.name, workflowId]).toEqual(['FAILED', `delivery/${dead.deliveryId}/1`]);
  isMended = true;
  await client.deadLetters.replay(dead.id);
  await untilSettled(pool, temporal, scene.channelId);
  expect(scene.receiver.requests).toHaveLength(3);
});

test('a stream goes on behind the last event while the API that serves it is replaced', async () => {
  const scene = await scenes.set(0, () => 200);
  const api = { urlOf: () => topology.url, key: topology.key };
  const stream = await followStream(api, { path: `/v1/channels/${scene.channelId}/stream` });
  const publishing = scene.recorder.keepPublishing(scene.channelId, { publishers: 2, pauseMs: 50 });
  for (const each of topology.apis) {
    await each.end('SIGTERM');
    await each.begin();
  }
  const published = await publishing.stop();
  expect(published.filter(({ outcome }) => outcome === 'refused')).toEqual([]);
  const stored = await pool.query<{ id: string }>('SELECT id FROM messages WHERE channel_id = $1', [scene.channelId]);
  await waitFor('the stream to show all', () => stream.ids.length >= stored.rows.length);
  await stream.stop();
  expect(stream.ids.toSorted()).toEqual(stored.rows.map(({ id }) => id).toSorted());
});

test('a machine credential gets a token and publishes, with proofs that name the address of the proxy', async () => {
  const scene = await scenes.set(1, () => 200);
  const { id: clientId, clientSecret } = await client.machineCredentials.create({ name: 'till' });
  const till = new Posthorn({ baseUrl: topology.url, credentials: { clientId, clientSecret } });
  const ids: string[] = [];
  // By turns at both APIs, which share the keys that sign tokens and the proofs that were used.
  for (let n = 0; n < 6; n += 1) {
    const { id } = await till.messages.publish(scene.channelId, { eventType: 'order.paid', payload: { n } });
    ids.push(id);
  }
  await waitFor('the messages', () => ids.every((id) => scene.receiver.countOf(id) === 1));
});

test('the audit log has the address of the caller behind the proxy, whatever the caller says of it', async () => {
  const address = '127.0.0.7';
  const made = await new Promise<number>((resolve, reject) => {
    const body = JSON.stringify({ name: 'from there' });
    const headers = {
      authorization: `Bearer ${topology.key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      'x-forwarded-for': '203.0.113.9',
    };
    const sending = request(
      `${topology.url}/v1/channels`,
      { method: 'POST', localAddress: address, headers },
      (answer) => resolve(answer.resume().statusCode ?? 0),
    );
    sending.once('error', reject).end(body);
  });
  expect(made).toBe(201);
  const { data } = await client.audit.list({ action: 'channel.created', limit: 1 }).page();
  expect(data[0]).toMatchObject({ after: { name: 'from there' }, from: { address } });
});
