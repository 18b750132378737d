import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findWebhooks, findWebhooksNamed } from '../../src/automations/inbound/store.ts';
import { findWorkflows, findWorkflowsNamed } from '../../src/automations/definitions/store.ts';
import { findChannels, findChannelsNamed } from '../../src/channels/store.ts';
import { createDatabase, type Database, type DatabaseTransaction } from '../../src/db/client.ts';
import { createTenants, type Tenants } from '../../src/db/tenants.ts';
import { findSubscriptions, findSubscriptionsNamed } from '../../src/subscriptions/store.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { createChannel } from '../support/make/factories.ts';
import { make } from '../support/make/seed.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const ROWS = 12_000;
const PAGE = 20;
/** Rows that a page by a name looks at (src/db/lists/name-look.ts), and those that it shows. */
const MOST_LOOKED_AT = 5_000;
const MOST_READ = 400;
const TABLES = ['channels', 'subscriptions', 'workflows', 'workflow_versions', 'inbound_webhooks'];

let posthorn: TestPosthorn;
// One session, so that what it reads is counted when it says so.
let db: Database;
let tenants: Tenants;
let place: { organisationId: string; environmentId: string };
/** A thing of each kind, by its table. */
let made: Record<'channels' | 'subscriptions' | 'workflows' | 'inbound_webhooks', string>;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
  tenants = createTenants({ db, pool: posthorn.database.pool });
  const { id: channelId } = await createChannel(posthorn, { name: 'first of all' });
  const add = async (path: string, fields: object): Promise<string> =>
    (await make(posthorn, posthorn.keys.live, path, { name: 'first of all', ...fields })).id;
  made = {
    channels: channelId,
    subscriptions: await add('/v1/subscriptions', { channelId, webhookUrl: 'https://example.com/in' }),
    workflows: await add('/v1/workflows', { trigger: { type: 'manual' } }),
    inbound_webhooks: await add('/v1/webhooks', { channelId, provider: 'github' }),
  };
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
  place = { organisationId, environmentId };
  // Statistics of a day on which nearly everything was of the name that is rare since.
  await insert('rare', 40);
  await posthorn.deps.pool.query('ANALYZE');
  await insert('common', ROWS);
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

/** So many things of each kind, all with this name: copies of one that the API has made. */
async function insert(name: string, count: number): Promise<void> {
  const { pool } = posthorn.deps;
  const copy = (table: string, id: string, changed: string) =>
    pool.query(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(o, jsonb_build_object('name', $2::text, ${changed}))).*
       FROM ${table} o CROSS JOIN generate_series(1, ${count}) n WHERE o.id = $1`,
      [id, name],
    );
  await copy('channels', made.channels, "'id', posthorn_id('chn')");
  await copy(
    'subscriptions',
    made.subscriptions,
    "'id', posthorn_id('sub'), 'webhook_url', 'https://' || $2::text || '.example.com/'",
  );
  await copy('workflows', made.workflows, "'id', posthorn_id('wfl')");
  await pool.query(
    `INSERT INTO workflow_versions
     SELECT (jsonb_populate_record(v, jsonb_build_object('workflow_id', w.id))).* FROM workflow_versions v
     JOIN workflows w ON w.name = $2 WHERE v.workflow_id = $1`,
    [made.workflows, name],
  );
  await copy('inbound_webhooks', made.inbound_webhooks, "'id', posthorn_id('whk'), 'position', posthorn_id('whk')");
}

type NamedRows = { positions: string[]; lookedTo: string | undefined };
type List = {
  named: (db: DatabaseTransaction, part: string, after?: string) => Promise<NamedRows>;
  /** Ids of the things of these ids, or at these positions. */
  byIds: (db: DatabaseTransaction, ids: string[], isPosition?: boolean) => Promise<string[]>;
};

const page = (after?: string) => ({ limit: PAGE, after });
const LISTS: Record<string, List> = {
  channels: {
    named: (transaction, part, after) => findChannelsNamed(transaction, place.environmentId, page(after), { part }),
    byIds: async (transaction, ids) => {
      const parts = { hasSchemas: false };
      return idsOf(await findChannels(transaction, place.environmentId, page(), { ids }, parts));
    },
  },
  subscriptions: {
    named: (transaction, part, after) =>
      findSubscriptionsNamed(transaction, place.environmentId, page(after), { part }),
    byIds: async (transaction, ids) =>
      idsOf(await findSubscriptions(transaction, place.environmentId, page(), { ids }, new Date())),
  },
  workflows: {
    named: (transaction, part, after) => findWorkflowsNamed(transaction, place.environmentId, page(after), { part }),
    byIds: async (transaction, ids) => {
      const found = await findWorkflows(transaction, place.environmentId, page(), { ids, hasDefinitions: false });
      return idsOf(found.map(({ workflow }) => workflow));
    },
  },
  inbound_webhooks: {
    named: (transaction, part, after) => findWebhooksNamed(transaction, place.environmentId, page(after), { part }),
    byIds: async (transaction, ids, isPosition = false) => {
      const wanted = isPosition ? { positions: ids } : { ids };
      const found = await findWebhooks(transaction, place.environmentId, page(), wanted);
      return idsOf(found.map(({ webhook }) => webhook));
    },
  },
};
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Ways to read a list: as services do, and as the user of the engine. */
const WAYS: [way: string, read: <T>(list: (transaction: DatabaseTransaction) => Promise<T>) => Promise<T>][] = [
  ['under row-level security', (list) => tenants.within(place, list)],
  ['as the engine', (list) => db.$transaction(list)],
];
const CASES = WAYS.flatMap(([way, read]) =>
  Object.entries(LISTS).map(([table, list]) => [table, way, list, read] as const),
);

// Old: a name that few things have was looked for in all of an environment.
test.each(CASES)(
  'a page of %s by a name looks at a bounded number of rows, and the next one goes on: %s',
  async (_, __, list, read) => {
    for (const part of ['COMM', 'rare', 'nothing']) {
      const count = await rowsRead(db, TABLES, () => read((transaction) => list.named(transaction, part)));
      expect([part, count > 0, count <= MOST_LOOKED_AT + MOST_READ]).toEqual([part, true, true]);
    }

    const looks: [found: number, isLast: boolean][] = [];
    let after: string | undefined;
    let positions: string[] = [];
    do {
      const next: NamedRows = await read((transaction) => list.named(transaction, 'rAre', after));
      ({ positions, lookedTo: after } = next);
      looks.push([positions.length, after === undefined]);
    } while (after !== undefined);
    // Two looks find none, and the third one has more of them than a page.
    expect(looks).toEqual([
      [0, false],
      [0, false],
      [PAGE + 1, true],
    ]);
    let shown: string[] = [];
    const count = await rowsRead(db, TABLES, async () => {
      shown = await read((transaction) => list.byIds(transaction, positions, true));
    });
    expect([shown.length, count <= MOST_READ]).toEqual([PAGE + 1, true]);
  },
);

test.each(CASES)('things of %s are read by their ids alone: %s', async (table, _, list, read) => {
  const order = table === 'inbound_webhooks' ? 'position' : 'id';
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE name = 'rare' ORDER BY ${order} DESC LIMIT ${PAGE}`,
  );
  const ids = idsOf(rows);
  let found: string[] = [];
  const count = await rowsRead(db, TABLES, async () => {
    found = await read((transaction) => list.byIds(transaction, ids));
  });
  expect([found, count <= MOST_READ]).toEqual([ids, true]);
});
