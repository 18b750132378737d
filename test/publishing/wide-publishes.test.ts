import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createNewId } from '../../src/new-id.ts';
import type { Publication } from '../../src/messages/publication.ts';
import { storePublications } from '../../src/publishing/storing/store.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { holderOf } from '../support/make/holder.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const newId = createNewId(Date.now);
const SUBSCRIPTIONS = 8;
const MESSAGES = 6;

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/** A channel with `active` subscriptions and `paused` ones, and `messages` messages to it. */
async function publicationTo(
  messages: number,
  { active, paused = 0 }: { active: number; paused?: number },
): Promise<Publication> {
  const { id: channelId } = await createChannel(posthorn);
  for (let n = 0; n < active + paused; n += 1) {
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
    if (n < paused) await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
  }
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const message = () => ({
    id: newId('message'),
    eventType: 'a.b',
    payload: '{}',
    metadata: undefined,
    publishedAt: new Date(),
  });
  return { environmentId, channelId, messages: Array.from({ length: messages }, message) };
}

async function deliveriesOf({ channelId }: Publication): Promise<{ claimed: number; due: number }> {
  const { rows } = await posthorn.deps.pool.query<{ claimed: number; due: number }>(
    `SELECT count(holder)::int AS claimed, count(*) FILTER (WHERE holder IS NULL AND due_at <= now())::int AS due
     FROM deliveries WHERE channel_id = $1`,
    [channelId],
  );
  return rows[0] ?? { claimed: -1, due: -1 };
}

// Old: all of them came back in one reply and were queued in one turn of the event loop: 100,000 stopped it for seconds.
test('a publish claims no more deliveries than its process hands out at once, those of the first messages, and stores the rest as due', async () => {
  const publication = await publicationTo(MESSAGES, { active: SUBSCRIPTIONS });
  const first = publication.messages.slice(0, 2).map(({ id }) => id);

  const made = await storePublications(posthorn.deps.pool, [publication], holderOf('inc_wide', SUBSCRIPTIONS * 2));

  expect(made.taken).toHaveLength(SUBSCRIPTIONS * 2);
  expect(new Set(made.taken.map(({ read }) => read?.message.id))).toEqual(new Set(first));
  expect(made.hasUntaken).toBe(true);
  expect(made.routed).toEqual(new Map(publication.messages.map(({ id }) => [id, SUBSCRIPTIONS])));
  expect(await deliveriesOf(publication)).toEqual({ claimed: SUBSCRIPTIONS * 2, due: SUBSCRIPTIONS * (MESSAGES - 2) });
});

test('the channels of a group share what is claimed, so that a wide one leaves room for the others', async () => {
  const wide = await publicationTo(MESSAGES, { active: SUBSCRIPTIONS });
  const narrow = await publicationTo(1, { active: 1 });

  await storePublications(posthorn.deps.pool, [wide, narrow], holderOf('inc_shared', SUBSCRIPTIONS));

  expect(await deliveriesOf(wide)).toEqual({
    claimed: SUBSCRIPTIONS / 2,
    due: SUBSCRIPTIONS * MESSAGES - SUBSCRIPTIONS / 2,
  });
  expect(await deliveriesOf(narrow)).toEqual({ claimed: 1, due: 0 });
});

test('paused subscriptions take nothing of what is claimed', async () => {
  const publication = await publicationTo(2, { active: 2, paused: 3 });

  const made = await storePublications(posthorn.deps.pool, [publication], holderOf('inc_paused', 4));

  expect([made.taken.length, made.hasUntaken]).toEqual([4, true]);
});

test('the statement returns a row for each claimed delivery, and one for each message with others', async () => {
  const publication = await publicationTo(MESSAGES, { active: SUBSCRIPTIONS });
  const { pool } = posthorn.deps;
  const client = await pool.connect();
  const counts: number[] = [];
  const query = client.query.bind(client) as (...of: unknown[]) => Promise<{ rows: unknown[] }>;
  // `as`: storePublications makes the one kind of call that this passes on.
  client.query = (async (...of: unknown[]) => {
    const result = await query(...of);
    counts.push(result.rows.length);
    return result;
  }) as unknown as typeof client.query;
  await storePublications(client, [publication], holderOf('inc_rows', 3)).finally(() => client.release(true));
  const [channel, subscriptions] = [1, 3];
  expect(counts).toEqual([channel + subscriptions + 3 + MESSAGES]);
});
