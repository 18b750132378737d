import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database, type DatabaseTransaction } from '../../src/db/client.ts';
import { createTenants } from '../../src/db/tenants.ts';
import { queryAlong } from '../../src/db/sql/walk.ts';
import { selectRetryable } from '../../src/deliveries/retryable-store.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const ROWS = 20_000;
// Rows that a batch looks at first, of each of up to three walks, with their subscriptions; and a look into each index.
const LOOKS = 200;
const MOST_READ = 3 * 2 * LOOKS + 400;

let posthorn: TestPosthorn;
// One session, so that what it reads is counted when it says so.
let db: Database;
let environmentId: string;
let channelId: string;
let subscriptionId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
  ({ id: channelId } = await createChannel(posthorn));
  const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
  subscriptionId = (await createSubscription(posthorn, target)).id;
  const other = (await createSubscription(posthorn, target)).id;
  ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
  const insert = (eventType: string, status: string, count: number) =>
    insertListed(
      posthorn.deps.pool,
      { environmentId, channelId },
      { eventType, status, count, to: [subscriptionId, other] },
    );
  // Statistics of a day on which nearly everything was of the types and states that are rare since.
  await insert('old.rare', 'failed', 40);
  await posthorn.deps.pool.query('ANALYZE');
  await insert('new.common', 'delivered', ROWS);
  await insert('new.common', 'pending', ROWS);
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

type List = (transaction: DatabaseTransaction) => Promise<unknown>;

test.each(['under row-level security', 'as the engine'])(
  'a batch of a bulk retry reads what it looks at, by any filters together: %s',
  async (way) => {
    const tenants = createTenants({ db, pool: posthorn.database.pool });
    const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
    const inTransaction = (list: List): Promise<unknown> =>
      way === 'as the engine' ? db.$transaction(list) : tenants.within({ organisationId, environmentId }, list);
    const newest = await db.delivery.findFirstOrThrow({ where: { environmentId }, orderBy: { id: 'desc' } });
    const reads: [string, number][] = [];
    for (const place of [{}, { channelId }, { subscriptionId }, { messageId: newest.messageId }])
      for (const filter of [
        {},
        ...(['pending', 'retrying', 'failed', 'delivered'] as const).map((status) => ({ status: [status] })),
        { status: ['retrying', 'failed'] as const },
        { status: ['pending', 'failed', 'delivered'] as const },
        { errorClass: 'tls' as const },
        { errorStatus: '5xx', eventType: 'new.*' },
        { minLatencyMs: 29_000 },
        { held: 'true' as const },
        { held: 'false' as const, status: ['delivered'] as const },
        { eventType: 'old.rare' },
        { eventType: 'none.*', status: ['delivered'] as const },
      ])
        for (const position of [undefined, 'dlv_0', 'dlv_z']) {
          const wanted = { environmentId, ...place, ...filter };
          const next = { position, looks: LOOKS, limit: 100, now: new Date() };
          const { text, values } = selectRetryable(wanted, next) ?? { text: 'SELECT 1', values: [] };
          const count = await rowsRead(db, ['deliveries', 'subscriptions', 'attempts', 'dead_letters'], () =>
            inTransaction((transaction) => queryAlong(transaction, text, { values })),
          );
          reads.push([JSON.stringify({ ...wanted, position }), count]);
        }
    expect(reads.filter(([, count]) => !(count <= MOST_READ))).toEqual([]);
    expect(reads.some(([, count]) => count > LOOKS)).toBe(true);
  },
);
