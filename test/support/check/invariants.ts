import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { Webhook } from 'standardwebhooks';
import type { Publication } from '../world/recorder.ts';
import type { ReceivedRequest } from '../world/receiver.ts';
import { waitFor } from './wait-for.ts';

/** A watched subscription. `path` distinguishes its requests at the receiver from those of others. */
export type Watched = { id: string; secret: string; path: string };

export type Evidence = {
  pool: Pool;
  channelId: string;
  /** All subscriptions of the channel, created before anything was published. */
  subscriptions: readonly Watched[];
  publications: readonly Publication[];
  requests: readonly ReceivedRequest[];
};

type DeliveryRow = {
  id: string;
  message_id: string;
  subscription_id: string;
  status: string;
  attempts: number;
  is_unfinished: boolean;
  numbers: number[];
  open_letters: number;
};

const DELIVERIES = `
  SELECT d.id, d.message_id, d.subscription_id, d.status, d.attempts, d.due_at IS NOT NULL AS is_unfinished,
    coalesce((SELECT array_agg(a.number ORDER BY a.number) FROM attempts a WHERE a.delivery_id = d.id), '{}') AS numbers,
    (SELECT count(*)::int FROM dead_letters l WHERE l.delivery_id = d.id AND l.status = 'open') AS open_letters
  FROM deliveries d WHERE d.channel_id = $1`;

// Twenty seconds are usual after a crash; the rest is for a busy machine.
const SETTLED_WITHIN_MS = 90_000;

/** Waits until the channel has no unfinished delivery and Temporal has no open workflow of it. */
export async function untilSettled(pool: Pool, temporal: Client, channelId: string): Promise<void> {
  let left = '';
  await waitFor(
    'every delivery to end',
    async () => {
      const { rows } = await pool.query<{ text: string }>(
        `SELECT concat_ws(' ', id, status, 'attempts', attempts, 'round', round, 'due', due_at, 'holder', holder, 'carrier', carrier) AS text
         FROM deliveries WHERE channel_id = $1 AND due_at IS NOT NULL`,
        [channelId],
      );
      left = [`${rows.length} unfinished`, ...rows.slice(0, 5).map(({ text }) => text)].join('\n');
      if (rows.length > 0) return false;
      // A store that was lost has the search attribute only after a worker has registered it again.
      const count = await temporal.workflow
        .count(`PosthornChannel = '${channelId}' AND ExecutionStatus = 'Running'`)
        .then((found) => found.count)
        .catch(() => 'unknown');
      left = `all have ended, and ${count} Temporal workflows run`;
      return count === 0;
    },
    SETTLED_WITHIN_MS,
  ).catch((failure: unknown) => {
    throw new Error(`${String(failure)}\n${left}`);
  });
}

/**
 * Returns every violated guarantee, as a sentence: whatever was accepted is stored and finished (delivered as the receiver saw it, or a
 * dead letter), publishes are all or nothing, every request is signed and has one body per message, and attempts are recorded without a
 * gap.
 */
export async function brokenPromises(evidence: Evidence): Promise<string[]> {
  const { rows } = await evidence.pool.query<DeliveryRow>(DELIVERIES, [evidence.channelId]);
  const faults = [...(await faultsOfPublications(evidence, rows)), ...faultsOfRequests(evidence, rows)];
  const seen = new Set(evidence.requests.map((request) => `${idOf(request)} ${request.path}`));
  const pathOf = new Map(evidence.subscriptions.map(({ id, path }) => [id, path]));
  for (const row of rows) {
    const name = `delivery ${row.id} of ${row.message_id}`;
    if (row.is_unfinished) faults.push(`${name} is still ${row.status}`);
    if (row.status === 'delivered' && !seen.has(`${row.message_id} ${pathOf.get(row.subscription_id)}`))
      faults.push(`${name} is called delivered and never arrived`);
    if (row.status === 'failed' && row.open_letters !== 1)
      faults.push(`${name} failed and has ${row.open_letters} dead letters`);
    const expected = Array.from({ length: row.attempts }, (_, index) => index + 1);
    if (row.numbers.join() !== expected.join())
      faults.push(`${name} has ${row.attempts} attempts and records of [${row.numbers.join()}]`);
  }
  return faults;
}

async function faultsOfPublications(evidence: Evidence, rows: DeliveryRow[]): Promise<string[]> {
  const stored = await evidence.pool.query<{ id: string; mark: string }>(
    `SELECT id, payload::json ->> 'mark' AS mark FROM messages WHERE channel_id = $1`,
    [evidence.channelId],
  );
  const storedIds = new Set(stored.rows.map(({ id }) => id));
  const deliveriesOf = countBy(rows.map((row) => row.message_id));
  const storedOf = countBy(stored.rows.map(({ mark }) => mark));
  const faults: string[] = [];
  for (const { mark, size, outcome, ids } of evidence.publications) {
    const count = storedOf.get(mark) ?? 0;
    if (outcome === 'accepted' && count !== size)
      faults.push(`${mark} was accepted and ${count} of ${size} are stored`);
    if (outcome === 'refused' && count !== 0) faults.push(`${mark} was refused and ${count} of ${size} are stored`);
    if (count !== 0 && count !== size) faults.push(`${mark} is half stored: ${count} of ${size}`);
    for (const id of ids) if (!storedIds.has(id)) faults.push(`${id} was accepted and is not stored`);
  }
  for (const id of storedIds) {
    const count = deliveriesOf.get(id) ?? 0;
    if (count !== evidence.subscriptions.length)
      faults.push(`${id} has ${count} deliveries for ${evidence.subscriptions.length} subscriptions`);
  }
  return faults;
}

function faultsOfRequests({ subscriptions, requests }: Evidence, rows: DeliveryRow[]): string[] {
  const faults: string[] = [];
  const known = new Set(rows.map((row) => row.message_id));
  const bodies = new Map<string, string>();
  for (const request of requests) {
    const id = idOf(request);
    const subscription = subscriptions.find(({ path }) => path === request.path);
    if (subscription === undefined) continue;
    if (!known.has(id)) faults.push(`${id} arrived and is not stored`);
    try {
      // An independent implementation of the signature; node's headers are texts but for set-cookie.
      new Webhook(subscription.secret).verify(request.body, request.headers as Record<string, string>);
    } catch (failure) {
      faults.push(`${id} arrived with a bad signature: ${String(failure)}`);
    }
    const key = `${id} ${request.path}`;
    if ((bodies.get(key) ?? request.body) !== request.body) faults.push(`${id} arrived with two bodies`);
    bodies.set(key, request.body);
  }
  return faults;
}

/** Returns the pairs of message and subscription that arrived more than once, with the number of duplicates. */
export function repeatsOf(requests: readonly ReceivedRequest[]): Map<string, number> {
  const counts = countBy(requests.map((request) => `${idOf(request)} ${request.path}`));
  return new Map([...counts].flatMap(([key, count]) => (count > 1 ? [[key, count - 1] as const] : [])));
}

/** Returns the pairs of message and subscription that the receiver has seen but that are not recorded as delivered yet: in flight. */
export async function inFlight({ pool, channelId, subscriptions, requests }: Evidence): Promise<Set<string>> {
  const { rows } = await pool.query<DeliveryRow>(DELIVERIES, [channelId]);
  const pathOf = new Map(subscriptions.map(({ id, path }) => [id, path]));
  const open = new Set(
    rows.filter((row) => row.is_unfinished).map((row) => `${row.message_id} ${pathOf.get(row.subscription_id)}`),
  );
  return new Set(requests.map((request) => `${idOf(request)} ${request.path}`).filter((key) => open.has(key)));
}

/** Returns the message id of a request. */
export const idOf = (request: ReceivedRequest): string => String(request.headers['webhook-id']);

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
