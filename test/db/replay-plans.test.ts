import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database, type DatabaseTransaction } from '../../src/db/client.ts';
import { createTenants } from '../../src/db/tenants.ts';
import { listDeliveries } from '../../src/deliveries/store.ts';
import { withOutcomes } from '../../src/replays/outcome-store.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

// Deliveries that there are, and those of the replay among them.
const ROWS = 20_000;
const OF_REPLAY = 200;
// Each of the replay by an entry of its index and its row, twice where a filter looks at rows one by one; and a look into each index.
const MOST_READ = 4 * OF_REPLAY + 100;
const TABLES = ['deliveries', 'runs'];

let posthorn: TestPosthorn;
// One session, so that what it reads is counted when it says so.
let db: Database;
let environmentId: string;
let channelId: string;
let subscriptionId: string;
let replayId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
  ({ id: channelId } = await createChannel(posthorn));
  const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
  subscriptionId = (await createSubscription(posthorn, target)).id;
  const other = (await createSubscription(posthorn, target)).id;
  ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
  const { pool, newId } = posthorn.deps;
  const insert = (status: string, count: number) =>
    insertListed(
      pool,
      { environmentId, channelId },
      { eventType: 'order.paid', status, count, to: [subscriptionId, other] },
    );
  // The statistics know of no replay, and of failures alone.
  await insert('failed', 40);
  await pool.query('ANALYZE');
  await insert('delivered', ROWS - 40);
  replayId = newId('bulkRetry');
  await pool.query(
    `UPDATE deliveries d SET replay_id = $2 FROM (SELECT id, row_number() OVER (ORDER BY status DESC, id) AS n FROM deliveries) AS numbered
     WHERE numbered.id = d.id AND d.environment_id = $1 AND n % ${ROWS / OF_REPLAY} = 1`,
    [environmentId, replayId],
  );
  // Entries of the rows before the update would count as read, once.
  await pool.query('VACUUM deliveries');
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

type Read = (transaction: DatabaseTransaction) => Promise<unknown>;

test.each(['under row-level security', 'as the engine'])(
  'a page of the deliveries of a replay, and what has become of them, read those alone: %s',
  async (way) => {
    const tenants = createTenants({ db, pool: posthorn.database.pool });
    const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
    const inTransaction = (read: Read): Promise<unknown> =>
      way === 'as the engine' ? db.$transaction(read) : tenants.within({ organisationId, environmentId }, read);
    const readsOf = (read: Read): Promise<number> => rowsRead(db, TABLES, () => inTransaction(read));
    const reads: [string, number][] = [];
    for (const status of [undefined, ['failed'], ['pending', 'retrying'], ['delivered']] as const)
      for (const own of [
        {},
        { channelId },
        { subscriptionId },
        { eventType: 'order.*' },
        { errorStatus: '5xx' },
        { held: 'true' as const },
        { minLatencyMs: 1_000 },
      ]) {
        const filter = { environmentId, replayId, ...own, status };
        const page = { limit: 20, after: undefined };
        const count = await readsOf((transaction) => listDeliveries(transaction, filter, page, new Date()));
        reads.push([JSON.stringify({ ...own, status }), count]);
      }
    let counted: object | undefined;
    const count = await readsOf(async (transaction) => {
      [counted] = await withOutcomes(transaction, environmentId, [{ id: replayId }], 10_000);
    });
    reads.push(['outcome', count]);
    expect(counted).toMatchObject({ outcome: { succeeded: OF_REPLAY - 1, underWay: 0, failed: 1, isComplete: true } });
    expect(reads.filter(([, each]) => !(each <= MOST_READ))).toEqual([]);
    expect(reads.some(([, each]) => each > 0)).toBe(true);
  },
);
