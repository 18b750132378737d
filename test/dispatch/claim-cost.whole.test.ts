import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPool } from '../../src/platform/db/connection.ts';
import { createDueRows, type DueRows } from '../../src/delivery/queue/loop/claims/due-rows.ts';
import { beginIncarnation } from '../../src/delivery/queue/recovery/incarnation.ts';
import { createLog } from '../../src/platform/log.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { FINISHED, openLongSnapshot, pagesRead, PAUSED } from '../support/world/long-snapshot.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('claim cost', () => {
  // Page budget of one claim of an empty queue, whatever else the tables hold (8 KiB pages of deliveries and its indexes).
  const PAGES = 30;

  let posthorn: TestPosthorn;
  // One session, so that its prepared statements and its share of the statistics are those of the test.
  let pool: Pool;
  let closeSnapshot: () => Promise<void>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    closeSnapshot = await openLongSnapshot(posthorn);
    pool = createPool(posthorn.database.url, { max: 1, ...PATIENT });
  });
  afterAll(async () => {
    await closeSnapshot();
    await pool.end();
    await posthorn.stop();
  });

  /** Pages that `act` reads, on average over ten times: PostgreSQL keeps a plan for good after five. */
  async function pagesOf(act: () => Promise<unknown>): Promise<number> {
    const before = await pagesRead(pool);
    for (let time = 0; time < 10; time += 1) await act();
    return ((await pagesRead(pool)) - before) / 10;
  }

  /** Claims of a dispatcher that is woken or polls, with room for everything. Returns how many deliveries it got. */
  async function claimBoth(due: DueRows): Promise<number> {
    due.expect();
    while (await due.look()) {
      // on while there is more to read
    }
    let count = 0;
    for (const lane of ['first', 'retry'] as const)
      while (due.has(lane)) count += (await due.claim(lane, { count: 40, perSubscription: 10, except: [] })).length;
    return count;
  }

  // Old: each claim walked over the index entries of everything that had been finished since the snapshot, 6,600 pages a lane.
  describe(`with a snapshot open while ${FINISHED} deliveries were made and finished, and ${PAUSED} subscriptions paused`, () => {
    test(`a claim of an empty queue reads at most ${PAGES} pages, both lanes together`, async () => {
      const due = createDueRows({ pool, incarnationId: 'inc_living' });
      await claimBoth(due);

      expect(await pagesOf(async () => expect(await claimBoth(due)).toBe(0))).toBeLessThan(PAGES);
    });

    test('messages for a paused subscription cost a claim their own rows, and are not claimed', async () => {
      const due = createDueRows({ pool, incarnationId: 'inc_living' });
      await claimBoth(due);
      await posthorn.deps.pool.query(
        `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, due_at, max_retries, initial_delay,
         max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), environment_id, channel_id, posthorn_id('msg'), id, now(), 3, 1000, 1000, 1
       FROM subscriptions WHERE status = 'paused' LIMIT 100`,
      );

      const before = await pagesRead(pool);
      expect(await claimBoth(due)).toBe(0);
      expect((await pagesRead(pool)) - before).toBeLessThan(PAGES + 400);
      expect(await pagesOf(async () => expect(await claimBoth(due)).toBe(0))).toBeLessThan(PAGES + 100);
    });
  });

  // Old: 8 pages and a subscription for each step of the walk, for 5,000 of them, twice a second.
  test('a delivery of an active subscription is claimed beside them, for some pages more', async () => {
    const due = createDueRows({ pool, incarnationId: 'inc_living' });
    await claimBoth(due);
    const { rows } = await posthorn.deps.pool.query<{ id: string }>(
      `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, due_at, max_retries, initial_delay,
       max_delay, backoff_multiplier)
     SELECT posthorn_id('dlv'), environment_id, channel_id, posthorn_id('msg'), id, now(), 3, 1000, 1000, 1
     FROM subscriptions WHERE status = 'active' LIMIT 1
     RETURNING message_id AS id`,
    );
    await posthorn.deps.pool.query(
      `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     SELECT message_id, environment_id, channel_id, 'a.b', '{}', now() FROM deliveries WHERE message_id = $1`,
      [rows[0]?.id],
    );

    const before = await pagesRead(pool);
    expect(await claimBoth(due)).toBe(1);
    expect((await pagesRead(pool)) - before).toBeLessThan(PAGES + 70);
  });
});

describe('dead neighbours', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
  });
  afterAll(() => posthorn.stop());

  // Old: the host's name alone decided. A container with the same one ended the lease of a living worker, whose claims were sent twice.
  test('a worker that starts ends the leases of dead processes of its machine, and of no other one with the same host name', async () => {
    const { pool } = posthorn.deps;
    const log = createLog('silent');
    const first = await beginIncarnation(pool, 'inc_first', log);
    const { rows: own } = await pool.query('SELECT host, machine FROM incarnations');
    // A process that has ended by now.
    const { pid } = spawnSync(process.execPath, ['--version']);
    const add = (id: string, machine: string | null): Promise<unknown> =>
      pool.query(
        `INSERT INTO incarnations (id, expires_at, host, pid, machine) VALUES ($1, now() + interval '1 hour', $2, $3, $4)`,
        [id, own[0]?.host, pid, machine],
      );
    await add('inc_dead', own[0]?.machine);
    await add('inc_neighbour', 'another boot pid:[1]');
    await add('inc_before_machines', null);

    const second = await beginIncarnation(pool, 'inc_second', log);

    const { rows } = await pool.query('SELECT id FROM incarnations WHERE expires_at > now() ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['inc_before_machines', 'inc_first', 'inc_neighbour', 'inc_second']);
    await first.end();
    await second.end();
  });

  // Temporal away was known to the process of that worker alone: whoever asked another one read that nothing was wrong.
  test('a worker tells with its lease whether Temporal answers it, and everybody reads it in the backlog', async () => {
    const service = async () => {
      const { body } = await posthorn.request<{ service: object }>('GET', '/v1/stats/backlog');
      return body.service;
    };
    await posthorn.deps.pool.query('DELETE FROM incarnations');
    expect(await service()).toEqual({ worker: 'down', temporal: 'unknown' });
    const worker = await beginIncarnation(posthorn.deps.pool, 'inc_teller', createLog('silent'));
    expect(await service()).toEqual({ worker: 'up', temporal: 'up' });
    let isThere = false;
    worker.tellOfTemporal(() => isThere);
    // A renewal of the worker's own timer may be under way, with the word before.
    const untilTold = (temporal: string) =>
      waitFor(`Temporal to be told as ${temporal}`, async () => {
        await worker.renew();
        return isDeepStrictEqual(await service(), { worker: 'up', temporal });
      });
    await untilTold('down');
    isThere = true;
    await untilTold('up');
    await worker.end();
    expect(await service()).toEqual({ worker: 'down', temporal: 'unknown' });
  });
});

describe('long snapshots', () => {
  // A worker polls twice a second, both lanes, and does its chores: 12 pages a second were seen.
  const PAGES_A_SECOND = 200;
  const WINDOW_MS = 3_000;

  let posthorn: TestPosthorn;
  let receiver: Receiver;
  let closeSnapshot: () => Promise<void>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    receiver = await startReceiver();
    closeSnapshot = await openLongSnapshot(posthorn);
    await posthorn.worker.start();
  });
  afterAll(async () => {
    await closeSnapshot();
    await receiver.close();
    await posthorn.stop();
  });

  // Old: it read 90,000 pages a second, walking twice a second over everything that had been finished since the snapshot and over
  // every subscription that was paused.
  test('an idle worker reads next to nothing, however much was finished under an open snapshot and however many are paused', async () => {
    // The worker looks everywhere at its beginning and every 30 s: this window lies between two of those looks.
    await waitFor('three idle seconds', async () => {
      const [before, startedAt] = [await pagesRead(posthorn.deps.pool), performance.now()];
      await sleep(WINDOW_MS);
      const seconds = (performance.now() - startedAt) / 1_000;
      return ((await pagesRead(posthorn.deps.pool)) - before) / seconds < PAGES_A_SECOND;
    });
  });

  test('deliveries that waited for a resume are sent beside thousands that stay paused, and none of the paused ones', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
    const message = await publish(posthorn, channelId);
    // Longer than the worker looks back.
    await sleep(WINDOW_MS);
    expect(receiver.requests).toHaveLength(0);

    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);

    await waitForDelivery(posthorn, message.id, 'delivered');
    const { rows } = await posthorn.deps.pool.query(
      `SELECT DISTINCT d.status, d.holder, d.carrier FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
     WHERE s.status = 'paused'`,
    );
    expect(rows).toEqual([{ status: 'pending', holder: null, carrier: null }]);
    expect(receiver.requests).toHaveLength(1);
  });
});
