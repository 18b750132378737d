import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPool } from '../../src/db/connections/pool.ts';
import { answerTo } from '../../src/publishing/answer.ts';
import { type Commit, createCommit } from '../../src/publishing/commit.ts';
import { noHandOver } from '../../src/publishing/hand-over.ts';
import { createPrepare } from '../../src/publishing/prepare.ts';
import type { PublishUnit } from '../../src/publishing/transaction.ts';
import { stringifyExact } from '../../src/kernel/values/exact-json.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { PATIENT } from '../support/service/patience.ts';

let posthorn: TestPosthorn;
let environmentId: string;
let channelId: string;
let pool: Pool;
let commit: Commit;
let woken: string[];
/** Every statement that PostgreSQL gets: its name, or its first word. */
let statements: string[];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ({ id: channelId } = await createChannel(posthorn));
  ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
  pool = createPool(posthorn.database.url, { max: 3, ...PATIENT });
  pool.on('connect', (client) => {
    const { query } = client;
    client.query = ((...given: unknown[]) => {
      // `as`: the service gives a text, or a statement with a name or a text.
      const [asked] = given as [string | { name?: string; text: string }];
      const { name, text } = typeof asked === 'string' ? { name: undefined, text: asked } : asked;
      statements.push(name ?? text.trim().split(/\s/)[0] ?? '');
      return (query as (...parts: unknown[]) => unknown).apply(client, given);
    }) as typeof query;
  });
});
beforeEach(async () => {
  ({ id: channelId } = await createChannel(posthorn));
  statements = [];
  woken = [];
  commit = createCommit({
    pool,
    log: posthorn.deps.log,
    handOver: noHandOver,
    streams: { wake: (id) => woken.push(id) },
  });
});
afterAll(async () => {
  await pool.end();
  await posthorn.stop();
});

const request = <B>(body: B) => ({ body, bodyText: JSON.stringify(body), header: () => undefined });
type Terms = { to?: string; id?: string; delay?: number; configVersion?: number; isKeyed?: boolean };
/** A request for one message, as it is once it has been checked. */
function unit({ to = channelId, id, delay, configVersion, isKeyed = false }: Terms = {}): PublishUnit {
  const body = { eventType: 'order.created', payload: { n: 1 }, id, delay };
  const { toPublish, naming, asked } = createPrepare(posthorn.deps).single(environmentId, to, request(body));
  const key = { environmentId, id: randomBytes(32), requestHash: randomBytes(32) };
  return {
    publications: toPublish.map(({ publication }) => ({
      ...publication,
      ...(configVersion !== undefined && { configVersion }),
    })),
    naming,
    asked,
    warnings: [],
    ...(isKeyed && { keep: { request: key, status: 202, headers: {} } }),
  };
}

/** Commits units that come together. Returns for each the text of its answer, `stale`, or the code of its refusal. */
const together = (units: readonly PublishUnit[]): Promise<string[]> =>
  Promise.all(
    units.map(async (each) => {
      try {
        const outcome = await commit(each);
        return outcome === 'stale' ? outcome : stringifyExact(answerTo(each.asked, outcome));
      } catch (refusal) {
        return refusal instanceof Error && 'code' in refusal ? String(refusal.code) : String(refusal);
      }
    }),
  );
const idIn = (answer: string | undefined): unknown => (JSON.parse(answer ?? '') as { id: unknown }).id;
const stored = (): Promise<number> => posthorn.deps.db.message.count({ where: { channelId } });

describe('publishes that come together', () => {
  test('without keys, ids and times of their own are one statement, without a transaction around it', async () => {
    const answers = await together(Array.from({ length: 20 }, () => unit()));
    expect(new Set(answers.map(idIn)).size).toBe(20);
    expect(statements).toEqual(['publish']);
    expect(await stored()).toBe(20);
    expect(woken).toEqual(Array.from(answers, () => channelId));
  });

  test('are that one statement where some are refused, and nothing of these is stored', async () => {
    const { id: paused } = await createChannel(posthorn);
    await posthorn.request('PATCH', `/v1/channels/${paused}`, { status: 'paused' });
    const refused = [unit({ to: paused }), unit({ to: 'chn_none' }), unit({ configVersion: 99 })];
    const [fine, ...others] = await together([unit(), ...refused]);
    expect(others).toEqual(['CONFLICT', 'NOT_FOUND', 'stale']);
    expect(fine).toContain('"deliveryStatus":"unrouted"');
    expect(statements).toEqual(['publish']);
    expect(await stored()).toBe(1);
    expect(await posthorn.deps.db.message.count({ where: { channelId: paused } })).toBe(0);
    expect(woken).toEqual([channelId]);
  });

  test('with keys are one transaction, which asks only for what they need', async () => {
    await together([unit({ isKeyed: true }), unit({ isKeyed: true })]);
    expect(statements).toEqual(['BEGIN', 'SET', 'publish', 'keep-answers', 'COMMIT']);
    expect(await stored()).toBe(2);
  });

  test('with keys are made again without one that was checked by an older configuration', async () => {
    const answers = await together([unit({ isKeyed: true }), unit({ isKeyed: true, configVersion: 99 })]);
    expect(answers[1]).toBe('stale');
    expect(statements).toEqual([
      'BEGIN',
      'SET',
      'publish',
      'ROLLBACK',
      'BEGIN',
      'SET',
      'publish',
      'keep-answers',
      'COMMIT',
    ]);
    expect(await stored()).toBe(1);
  });

  test('hold each other up in no way: plain ones go beside those with keys', async () => {
    await together([unit(), unit({ isKeyed: true }), unit()]);
    expect(statements.filter((statement) => statement === 'publish')).toHaveLength(2);
    expect(await stored()).toBe(3);
  });
});

/** A request for 100 messages to a channel that is believed to have 1,000 subscriptions without a filter. */
function wideUnit(to = channelId, ofEnvironment = environmentId, width = { unfiltered: 1_000 }): PublishUnit {
  const messages = Array.from({ length: 100 }, (_, n) => ({ eventType: 'order.created', payload: { n } }));
  const prepared = createPrepare(posthorn.deps).batch(ofEnvironment, to, request({ messages }));
  return {
    publications: prepared.toPublish.map(({ publication }) => ({ ...publication, width })),
    naming: prepared.naming,
    asked: prepared.asked,
    warnings: [],
  };
}

/** A channel of the other environment. */
async function foreignChannel(): Promise<{ id: string; environmentId: string }> {
  const { body } = await posthorn.request<{ id: string }>(
    'POST',
    '/v1/channels',
    { name: 'theirs' },
    { key: posthorn.keys.test },
  );
  const row = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: body.id } });
  return { id: row.id, environmentId: row.environmentId };
}

/** The channels of the transactions that have published, one after the other. */
const transactions = async (...channelIds: string[]): Promise<string[][]> =>
  (
    await posthorn.deps.pool.query<{ ids: string[] }>(
      `SELECT array_agg(DISTINCT channel_id) AS ids FROM messages WHERE channel_id = ANY ($1)
       GROUP BY transaction_id ORDER BY transaction_id`,
      [channelIds],
    )
  ).rows.map(({ ids }) => ids);

describe('a wide request', () => {
  test('shares no transaction with another one, and with none of another environment', async () => {
    const theirs = await foreignChannel();
    await together([wideUnit(), unit(), wideUnit()]);
    expect(await transactions(channelId)).toHaveLength(3);
    await together([wideUnit(theirs.id, theirs.environmentId), unit()]);
    expect(await transactions(theirs.id, channelId)).toHaveLength(5);
  });

  test('waits for one of each other environment, not for all that one environment publishes', async () => {
    const theirs = await foreignChannel();
    await together([...Array.from({ length: 3 }, () => wideUnit()), wideUnit(theirs.id, theirs.environmentId)]);
    expect(await transactions(channelId, theirs.id)).toEqual([[channelId], [theirs.id], [channelId], [channelId]]);
  });

  test('is refused once half a million rows of its environment wait, while all other requests are stored', async () => {
    const theirs = await foreignChannel();
    const answers = await together([
      ...Array.from({ length: 7 }, () => wideUnit()),
      wideUnit(theirs.id, theirs.environmentId),
      unit(),
    ]);
    expect(answers.map((answer) => answer === 'UNAVAILABLE')).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
      true,
      false,
      false,
    ]);
    expect(await stored()).toBe(501);
  });

  test('is wide no longer when its channel has lost subscriptions, and the next one is when it has gained some', async () => {
    for (let count = 0; count < 3; count += 1)
      await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const [tooWide, tooNarrow] = [{ unfiltered: 1_000 }, { unfiltered: 0 }];
    await together([wideUnit(channelId, environmentId, tooWide), wideUnit(channelId, environmentId, tooNarrow)]);
    expect([tooWide, tooNarrow]).toEqual([{ unfiltered: 3 }, { unfiltered: 3 }]);
  });
});

test('requests whose rows do not fit into one transaction are stored in several, and environments take turns', async () => {
  const theirs = await foreignChannel();
  const width = { unfiltered: 12 };
  const ofOne = Array.from({ length: 3 }, () => wideUnit(channelId, environmentId, width));
  await together([...ofOne, wideUnit(theirs.id, theirs.environmentId, width)]);
  expect(await transactions(channelId, theirs.id)).toHaveLength(4);
  expect((await transactions(channelId, theirs.id)).slice(0, 2).flat().toSorted()).toEqual(
    [channelId, theirs.id].toSorted(),
  );
});

describe('a message that its publisher had published under the same id', () => {
  /** Publishes it again under a key. Returns the answer, which is the one that is kept, and is the message as it is now. */
  async function publishAgain(terms: Terms): Promise<Record<string, unknown>> {
    statements = [];
    const again = unit({ id: 'order-1', isKeyed: true, ...terms });
    const [answer = ''] = await together([again]);
    expect(statements.filter((statement) => statement !== 'SELECT')).toEqual([
      'BEGIN',
      'SET',
      'INSERT',
      'keep-answers',
      'COMMIT',
    ]);
    const kept = await posthorn.deps.db.idempotencyKey.findUniqueOrThrow({
      where: { id: Uint8Array.from(again.keep?.request.id ?? []) },
    });
    expect(kept.body).toBe(answer);
    const { body } = await posthorn.request<Record<string, unknown>>('GET', `/v1/messages/${String(idIn(answer))}`);
    expect(JSON.parse(answer)).toEqual(body);
    return body;
  }

  test('is read by the transaction that finds it', async () => {
    await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const [first] = await together([unit({ id: 'order-1' })]);
    expect(await publishAgain({})).toMatchObject({ id: idIn(first), deliveryStatus: 'pending', payload: { n: 1 } });
  });

  test('and that waits, or was to wait, is read there too', async () => {
    const [first] = await together([unit({ id: 'order-1', delay: 60_000 })]);
    const id = idIn(first);
    expect(await publishAgain({ delay: 60_000 })).toMatchObject({ id, deliveryStatus: 'scheduled', payload: { n: 1 } });
    await posthorn.request('DELETE', `/v1/messages/${String(id)}`);
    const erased = await publishAgain({ delay: 60_000 });
    expect(erased).toMatchObject({ id, deliveryStatus: 'cancelled', cancelReason: 'erased' });
    expect(erased).not.toHaveProperty('payload');
  });
});
