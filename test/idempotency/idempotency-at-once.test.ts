import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { errorOf, type KeyedPosts, MESSAGE, type Sent, startKeyedPosts } from '../support/make/keyed-posts.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey, type SecondApi } from '../support/service/two-apis.ts';
import { waitFor } from '../support/check/wait-for.ts';

// Other test files have clones of this database, with the same numbers of tables.
const HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

let posts: KeyedPosts;
let posthorn: TestPosthorn;
let second: SecondApi;
let channelId: string;

beforeAll(async () => {
  posts = await startKeyedPosts();
  ({ posthorn, second } = posts);
});
beforeEach(async () => {
  await posts.reset();
  ({ channelId } = posts);
});
afterAll(() => posts.stop());

test('50 publishes at once under one key are one message with one delivery', async () => {
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      posts.send(posts.messagesPath(), MESSAGE, { at: n % 2 === 0 ? posthorn.url : second.url }),
    ),
  );
  const { db } = posthorn.deps;
  expect([await db.message.count({ where: { channelId } }), await db.delivery.count({ where: { channelId } })]).toEqual(
    [1, 1],
  );
});

test('50 parallel POSTs of a channel make one channel', async () => {
  const name = newIdempotencyKey();
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      posts.send('/v1/channels', { name }, { at: n % 2 === 0 ? posthorn.url : second.url }),
    ),
  );
  expect(await posthorn.deps.db.channel.count({ where: { name } })).toBe(1);
});

describe('while the first request runs', () => {
  /** Runs `act` while nobody can write to that table. */
  async function whileLocked(table: string, act: () => Promise<void>): Promise<void> {
    const connection = await posthorn.deps.pool.connect();
    try {
      await connection.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      await act();
      await connection.query('COMMIT');
    } finally {
      connection.release(true);
    }
  }
  const waiting = async (table: string): Promise<number> =>
    (
      await posthorn.deps.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = $1::regclass AND ${HERE}`,
        [table],
      )
    ).rows[0]?.count ?? 0;

  test('in another process, one that comes later waits for its answer', async () => {
    const name = newIdempotencyKey();
    const sent: Promise<Sent>[] = [];
    await whileLocked('channels', async () => {
      sent.push(posts.send('/v1/channels', { name }));
      await waitFor('the first one to wait', async () => (await waiting('channels')) === 1);
      sent.push(posts.send('/v1/channels', { name }, { at: second.url }), posts.send('/v1/channels', { name }));
    });
    const [first, ...others] = await Promise.all(sent);
    expect([first?.status, first?.replayed]).toEqual([201, null]);
    expect(others.map(({ text, replayed }) => [text, replayed])).toEqual(others.map(() => [first?.text, 'true']));
  });

  test('and goes on for longer than that, it is CONFLICT with Retry-After 1; another body is told so at once', async () => {
    const name = newIdempotencyKey();
    let first: Promise<Sent> | undefined;
    await whileLocked('channels', async () => {
      first = posts.send('/v1/channels', { name });
      await waitFor('the first one to wait', async () => (await waiting('channels')) === 1);
      const different = await posts.send('/v1/channels', { name: 'other' }, { at: second.url });
      expect([different.status, errorOf(different).details?.field]).toEqual([409, 'Idempotency-Key']);
      const impatient = await Promise.all([
        posts.send('/v1/channels', { name }, { at: second.url }),
        posts.send('/v1/channels', { name }),
      ]);
      for (const answer of impatient) {
        expect([answer.status, errorOf(answer).code]).toEqual([409, 'CONFLICT']);
        expect([answer.headers.get('retry-after'), answer.replayed]).toEqual(['1', null]);
      }
      expect(await waiting('channels')).toBe(1);
    });
    expect((await first)?.status).toBe(201);
    expect(await posts.send('/v1/channels', { name })).toMatchObject({ status: 201, replayed: 'true' });
  });

  test('a publish in another process that stands still is CONFLICT with Retry-After 1, and its key is free when that has failed', async () => {
    const connection = await posthorn.deps.pool.connect();
    await posts.send(posts.messagesPath(), MESSAGE);
    const { rows } = await connection.query<{ id: Buffer }>(
      'DELETE FROM idempotency_keys WHERE id = (SELECT id FROM idempotency_keys ORDER BY created_at DESC LIMIT 1) RETURNING id',
    );
    // As a process that has stored its messages, and neither commits nor ends.
    await connection.query('BEGIN');
    await connection.query(
      `INSERT INTO idempotency_keys (id, environment_id, request_hash, expires_at) VALUES ($1, 'env_x', '', now() + interval '1 day')`,
      [rows[0]?.id],
    );
    const before = await posts.contents();
    const answer = await posts.send(posts.messagesPath(), MESSAGE);
    expect([answer.status, errorOf(answer).code, answer.headers.get('retry-after')]).toEqual([409, 'CONFLICT', '1']);
    expect(await posts.contents()).toEqual(before);
    await connection.query('ROLLBACK');
    connection.release();
    expect(await posts.send(posts.messagesPath(), MESSAGE)).toMatchObject({ status: 202, replayed: null });
  });
});
