import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findRuns } from '../../src/automations/runs/store.ts';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { createTenants, type Tenants } from '../../src/db/tenants.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { PATIENT } from '../support/service/patience.ts';

const ROWS = 20_000;
/** Rows and index entries that a page may read. */
const MOST_READ = 100;

let posthorn: TestPosthorn;
// One session, so that what it reads is counted when it says so.
let db: Database;
let tenants: Tenants;
let place: { organisationId: string; environmentId: string };
let workflowId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
  tenants = createTenants({ db, pool: posthorn.database.pool });
  workflowId = await workflowCalls(posthorn).activate({ type: 'manual' }, [{ id: 'note', type: 'action' }]);
  const { environmentId } = await posthorn.deps.db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
  const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
  place = { organisationId, environmentId };
  // Statistics of a day on which no message began a run.
  await insert(40, 'NULL');
  await posthorn.deps.pool.query('ANALYZE runs');
  await insert(ROWS, `'msg_' || n`);
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

const insert = (count: number, messageId: string) =>
  posthorn.deps.pool.query(
    `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, message_id)
     SELECT posthorn_id('run'), $1, $2, 1, 'completed', 'event', ${messageId} FROM generate_series(1, ${count}) n`,
    [place.environmentId, workflowId],
  );

async function readSoFar(): Promise<number> {
  await db.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT (t.seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::float8 AS count
    FROM pg_stat_user_tables t WHERE t.relname = 'runs'`;
  return row?.count ?? Number.NaN;
}

// Old: a list took one status, and for several PostgreSQL would go through all other runs, or sort those with them.
test.each([
  ['of two statuses that nothing has', ['failed', 'paused'] as const, 0],
  ['of one that all have and one that none has', ['failed', 'completed'] as const, 21],
])('a page of runs %s reads a page, of all that there are', async (_, status, count) => {
  const before = await readSoFar();
  const runs = await tenants.within(place, (transaction) =>
    findRuns(
      transaction,
      { environmentId: place.environmentId, status, ids: {} },
      { limit: 20, after: undefined, hasOutputs: true },
    ),
  );
  expect(runs).toHaveLength(count);
  expect((await readSoFar()) - before).toBeLessThanOrEqual(MOST_READ);
});

test.each([
  ['the oldest', 'msg_1', 1],
  ['the newest', `msg_${ROWS}`, 1],
  ['no', 'msg_none', 0],
])('the runs of %s message are read alone, of all that there are', async (_, messageId, count) => {
  for (const status of [undefined, ['completed'], ['completed', 'failed']] as const) {
    const before = await readSoFar();
    const runs = await tenants.within(place, (transaction) =>
      findRuns(
        transaction,
        { environmentId: place.environmentId, messageId, status, ids: {} },
        { limit: 20, after: undefined, hasOutputs: true },
      ),
    );
    expect(runs.map(({ trigger }) => trigger.messageId)).toEqual(Array(count).fill(messageId));
    expect((await readSoFar()) - before).toBeLessThanOrEqual(MOST_READ);
  }
});
