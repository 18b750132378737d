import type { Pool } from 'pg';
import { brokenPromises } from '../check/invariants.ts';
import { idsIn, type MixedFlow } from './mixed-flow.ts';
import type { RepeatedRequest } from './repeated-requests.ts';
import { evidenceOf, type Scene } from './scene.ts';

/** How many messages one request stores, by the channel they go to. */
type Size = { orders: number; invoices: number; persons: number };

const SIZES = {
  ids: { orders: 1, invoices: 0, persons: 0 },
  keys: { orders: 2, invoices: 0, persons: 0 },
  transactional: { orders: 1, invoices: 1, persons: 0 },
  scheduled: { orders: 1, invoices: 0, persons: 0 },
  // Counted by its response, because an erased message has no payload to identify it.
  persons: { orders: 0, invoices: 0, persons: 1 },
} as const satisfies Record<string, Size>;

/**
 * Returns faults of the replayed archive, and of a flow that has stopped and whose deliveries have finished, as sentences; empty if
 * every guarantee holds.
 */
export async function faultsOf(
  flow: MixedFlow,
  pool: Pool,
  archive: Scene,
  { isProxied = false }: { isProxied?: boolean } = {},
): Promise<string[]> {
  return [
    ...(await brokenPromises(evidenceOf(archive, pool))),
    ...(await brokenPromises(evidenceOf(flow.orders, pool))),
    ...(await brokenPromises(evidenceOf(flow.invoices, pool))),
    ...(await faultsOfRepeated(flow, pool)),
    ...(await faultsOfErased(flow, pool)),
    ...(await faultsOfCreated(flow, pool)),
    ...(await faultsOfStreams(flow, pool)),
    ...faultsOfAnswers(flow, isProxied ? BEHIND_PROXY : EXPECTED),
  ];
}

/** Each request has stored its messages once, and its last response names exactly those. */
async function faultsOfRepeated({ orders, invoices, persons, parts }: MixedFlow, pool: Pool): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, { channelId }] of Object.entries({ orders, invoices, persons })) {
    const { rows } = await pool.query<{ id: string; mark: string | null }>(
      `SELECT id, payload::json ->> 'mark' AS mark FROM messages WHERE channel_id = $1`,
      [channelId],
    );
    const stored = new Set(rows.map(({ id }) => id));
    for (const [part, size] of Object.entries(SIZES)) {
      // `as`: the keys of SIZES are names of parts, and those of each size the names above.
      const wanted = size[name as keyof Size];
      for (const request of parts[part as keyof typeof SIZES].requests) {
        const found = rows.filter(({ id, mark }) =>
          part === 'persons' ? idsIn(request).includes(id) : mark === request.mark,
        );
        if (found.length !== wanted)
          faults.push(`${found.length} messages of ${request.mark} are stored in ${name}, which are to be ${wanted}`);
        if (wanted > 0 && !idsIn(request).some((id) => stored.has(id)))
          faults.push(`the answer to ${request.mark} names nothing that is stored in ${name}`);
      }
    }
    const known = Object.values(parts).flatMap((part) => part.requests.flatMap(idsIn)).length;
    if (name === 'persons' && rows.length > known) faults.push('more persons are stored than were answered');
  }
  const waiting = await pool.query('SELECT id FROM scheduled_messages WHERE channel_id = $1', [orders.channelId]);
  if (waiting.rows.length > 0) faults.push(`${waiting.rows.length} scheduled messages wait still`);
  return faults;
}

/** Erased messages have no content left and no unfinished delivery. */
async function faultsOfErased({ persons, parts }: MixedFlow, pool: Pool): Promise<string[]> {
  const erased = parts.persons.requests.flatMap(idsIn).slice(0, parts.erasures.requests.length);
  const { rows } = await pool.query<{ fault: string }>(
    `SELECT m.id || ' was erased and has its payload' AS fault FROM messages m
     WHERE m.id = ANY ($1::text[]) AND (m.payload IS NOT NULL OR m.erased_at IS NULL)
     UNION ALL
     SELECT d.id || ' is on its way, and its message was erased' FROM deliveries d
     WHERE d.message_id = ANY ($1::text[]) AND d.due_at IS NOT NULL
     UNION ALL
     SELECT m.id || ' has not one delivery' FROM messages m
     WHERE m.channel_id = $2 AND (SELECT count(*) FROM deliveries d WHERE d.message_id = m.id) <> 1`,
    [erased, persons.channelId],
  );
  return rows.map(({ fault }) => fault);
}

/** A channel is created exactly once by each request whose outcome was always known, and at most once by each attempt otherwise. */
async function faultsOfCreated({ orders, parts }: MixedFlow, pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; mark: string }>(
    `SELECT id, split_part(name, ' ', 1) AS mark FROM channels WHERE name LIKE '% of ' || $1`,
    [orders.channelId],
  );
  return parts.channels.requests.flatMap((request) => {
    const made = rows.filter(({ mark }) => mark === request.mark);
    const doubts = request.tries.filter(({ isInDoubt }) => isInDoubt).length;
    const isAnswered = idsIn(request).every((id) => made.some((channel) => channel.id === id));
    const isRight = isAnswered && made.length >= 1 && made.length <= 1 + doubts;
    return isRight
      ? []
      : [`${made.length} channels ${request.mark} were made by tries of which ${doubts} were in doubt`];
  });
}

/** Each stream has shown all messages published after its start, once, in the order of the transactions. */
async function faultsOfStreams({ orders, streams }: MixedFlow, pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM messages WHERE channel_id = $1 ORDER BY transaction_id, id',
    [orders.channelId],
  );
  const all = rows.map(({ id }) => id);
  return streams.flatMap(({ ids }, n) => {
    const at = ids.findIndex((id, index) => id !== all[index]);
    if (at === -1 && ids.length === all.length) return [];
    const place = at === -1 ? ids.length : at;
    return [
      `stream ${n} has shown ${ids.length} of ${all.length}, and at ${place} ${ids[place]} instead of ${all[place]}`,
    ];
  });
}

// 2xx; CONFLICT while the first attempt under the same key or id still runs; UNAVAILABLE. An internal error must not cause anything
// else.
const EXPECTED = new Set([409, 503]);
// A proxy responds with 502 for a request whose API was killed, which may have been stored or not. When the proxy itself ends, it cuts
// off the requests it is forwarding.
const BEHIND_PROXY = new Set([...EXPECTED, 502, 0]);

function faultsOfAnswers({ orders, parts }: MixedFlow, expected: ReadonlySet<number>): string[] {
  const tries = (requests: readonly RepeatedRequest[]) =>
    requests.flatMap((request) => request.tries.map(({ status }) => ({ mark: request.mark, status })));
  const repeated = Object.values(parts)
    .flatMap(({ requests }) => tries(requests))
    .filter(({ status }) => status > 299 || status === 0);
  const plain = orders.recorder.publications
    .filter(({ outcome }) => outcome !== 'accepted')
    .map(({ mark, status = 0 }) => ({ mark, status }));
  return [...repeated, ...plain]
    .filter(({ status }) => !expected.has(status))
    .map(({ mark, status }) => (status === 0 ? `${mark} got no answer` : `${mark} was answered ${status}`));
}
