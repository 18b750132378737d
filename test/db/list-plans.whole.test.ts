import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findWorkflows, findWorkflowsNamed } from '../../src/automations/definitions/store.ts';
import { findWebhooks, findWebhooksNamed } from '../../src/inbound/store.ts';
import { look, NEWEST } from '../../src/insight/changes/store.ts';
import { findChannels, findChannelsNamed } from '../../src/messaging/channels/store.ts';
import { createDatabase, type Database, type DatabaseTransaction } from '../../src/platform/db/client.ts';
import { findAlong } from '../../src/platform/db/sql/walk.ts';
import { createTenants, type Tenants } from '../../src/platform/db/tenants.ts';
import { selectNext } from '../../src/delivery/dead-letters/filter-store.ts';
import { listDeadLetters } from '../../src/delivery/dead-letters/store.ts';
import { endAsDeadLetter } from '../../src/delivery/record/statements/end.ts';
import { listDeliveries } from '../../src/delivery/record/store.ts';
import { systemChannelId } from '../../src/kernel/words/event-types.ts';
import { DELIVERY_STATUSES } from '../../src/kernel/words/statuses.ts';
import { LOOK, readPayloads, findSummaries } from '../../src/messaging/messages/summaries-store.ts';
import { listMessages } from '../../src/messaging/messages/store.ts';
import { listScheduled } from '../../src/messaging/scheduling/store.ts';
import { findSubscriptions, findSubscriptionsNamed } from '../../src/messaging/subscriptions/store.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { createChannel, createSubscription, type PageJson, publishBatch } from '../support/make/factories.ts';
import { insertFailed, insertListed } from '../support/make/listed-rows.ts';
import { make } from '../support/make/seed.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

describe('list plans', () => {
  // Rows and index entries that one page of 20 may read, of 20,000 that there are: a page for each subscription and event type.
  const PAGE = 20;
  const MOST_READ = 400;
  const ROWS = 20_000;
  const TABLES = ['messages', 'deliveries', 'dead_letters', 'scheduled_messages'];

  let posthorn: TestPosthorn;
  // One session, so that what it reads is counted when it says so.
  let db: Database;
  let tenants: Tenants;
  let organisationId: string;
  let environmentId: string;
  let channelId: string;
  let busy: string;
  let other: string;

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
    tenants = createTenants({ db, pool: posthorn.database.pool });
    ({ id: channelId } = await createChannel(posthorn));
    const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
    busy = (await createSubscription(posthorn, target)).id;
    other = (await createSubscription(posthorn, target)).id;
    ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
    ({ id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow());
    await fill();
  });
  afterAll(async () => {
    await db.$disconnect();
    await posthorn.stop();
  });

  /**
   * Statistics of a day on which nearly everything was of the types and states that are rare since; then 20,000 of everything, a
   * tenth of the deliveries for the other subscription, the rare ones among the oldest.
   */
  async function fill(): Promise<void> {
    await insert('old.rare', 'failed', 40);
    await posthorn.deps.pool.query('ANALYZE');
    await insert('new.common', 'delivered', ROWS);
  }

  const insert = (eventType: string, status: string, count: number, to: readonly [string, string] = [busy, other]) =>
    insertListed(posthorn.deps.pool, { environmentId, channelId }, { eventType, status, count, to });

  type List = (transaction: DatabaseTransaction) => Promise<unknown>;

  /** Ways to read a list: as services do, and as the user of the engine. */
  const WAYS: [way: string, read: (list: List) => Promise<unknown>][] = [
    ['under row-level security', (list) => tenants.within({ organisationId, environmentId }, list)],
    ['as the engine', (list) => db.$transaction(list)],
  ];

  /** Rows and index entries that the list reads of these tables, whatever the plan. */
  const readsOf = (read: (list: List) => Promise<unknown>, list: List): Promise<number> =>
    rowsRead(db, TABLES, () => read(list));

  const page = { limit: PAGE, after: undefined };
  const SUBSCRIPTION = (): { subscriptionId: string } => ({ subscriptionId: busy });
  const CHANNEL = (): { channelId: string } => ({ channelId });
  const NOWHERE = (): object => ({});
  const TYPES = [undefined, 'new.common', 'new.*', 'old.rare', 'old.*', 'none', 'none.*', '*'];

  const WITHOUT_ONE = DELIVERY_STATUSES.map((one) => DELIVERY_STATUSES.filter((each) => each !== one));
  const STATUSES = [undefined, ...DELIVERY_STATUSES.map((one) => [one]), ...WITHOUT_ONE, DELIVERY_STATUSES.slice(2)];

  const deliveryFilters = [NOWHERE, CHANNEL, SUBSCRIPTION].flatMap((place) =>
    TYPES.flatMap((eventType) => STATUSES.map((status) => ({ place, eventType, status }))),
  );

  // Regression: by a filter that matched little PostgreSQL walked all of an environment, or of a subscription, when it thought it frequent.
  test.each(WAYS)(
    'a page of deliveries reads a page, by any filters together, however misleading the statistics: %s',
    async (_, read) => {
      const reads: [string, number][] = [];
      for (const { place, eventType, status } of deliveryFilters) {
        const filter = { environmentId, ...place(), eventType, status };
        reads.push([
          JSON.stringify(filter),
          await readsOf(read, (transaction) => listDeliveries(transaction, filter, page, new Date())),
        ]);
      }
      expect(reads.filter(([, count]) => !(count <= MOST_READ))).toEqual([]);
      expect(reads.some(([, count]) => count > 0)).toBe(true);
    },
  );

  test.each(WAYS)(
    'a page of dead letters reads a page, by any one filter and by its status beside it: %s',
    async (_, read) => {
      const reads: [string, number][] = [];
      const filters = [
        {},
        CHANNEL(),
        SUBSCRIPTION(),
        { messageId: 'msg_none' },
        { workflowId: 'wf_none' },
        { reason: 'gone' as const },
        { reason: 'circuit' as const },
        { errorClass: 'tls' as const },
        ...['503', '200', '5xx', '500-503', '100-599'].map((errorStatus) => ({ errorStatus })),
        { errorClass: 'status' as const },
        { kind: 'run' as const },
        { kind: 'delivery' as const, reason: 'gone' as const },
      ];
      for (const filter of filters) {
        for (const status of [undefined, ['replayed'], ['replayed', 'discarded'], ['open', 'replayed']] as const)
          reads.push([
            JSON.stringify({ ...filter, status }),
            await readsOf(read, (transaction) =>
              listDeadLetters(transaction, { environmentId, ...filter, status }, page),
            ),
          ]);
      }
      for (const status of [['open'], ['discarded'], ['open', 'discarded']] as const) {
        for (const place of [NOWHERE, CHANNEL, SUBSCRIPTION])
          reads.push([
            `${JSON.stringify(place())} ${status.join()}`,
            await readsOf(read, (transaction) =>
              listDeadLetters(transaction, { environmentId, ...place(), status }, page),
            ),
          ]);
      }
      for (const eventType of TYPES)
        reads.push([
          eventType ?? 'any',
          await readsOf(read, (transaction) => listDeadLetters(transaction, { environmentId, eventType }, page)),
        ]);
      expect(reads.filter(([, count]) => !(count <= MOST_READ))).toEqual([]);
    },
  );

  // Regression: the next ones of a replay were found by plain conditions, in whichever order PostgreSQL thought cheap.
  test.each(WAYS)(
    'a batch of a bulk replay reads its own dead letters, by any filters together: %s',
    async (_, read) => {
      const reads: [string, number][] = [];
      const { id = '' } = (await db.delivery.findFirst({ where: { environmentId }, orderBy: { id: 'asc' } })) ?? {};
      for (const place of [NOWHERE, CHANNEL, SUBSCRIPTION])
        for (const filter of [
          {},
          { kind: 'delivery' as const },
          { reason: 'exhausted' as const },
          { errorClass: 'status' as const },
          ...['5xx', '500-503', '100-599'].map((errorStatus) => ({ errorStatus })),
          { errorStatus: '503', eventType: 'new.*' },
          { eventType: 'new.common' },
          { eventType: 'old.*', deliveryIds: { from: id } },
          { deliveryIds: { from: id, before: `${id}0` } },
        ])
          for (const position of [undefined, 'dlq_0']) {
            const wanted = { environmentId, ...place(), ...filter, status: ['open'] as const };
            const { text, values } = selectNext(wanted, position, 100);
            const count = await readsOf(read, (transaction) => findAlong(transaction, text, { values }));
            reads.push([JSON.stringify(wanted), count]);
          }
      expect(reads.filter(([, count]) => !(count <= MOST_READ))).toEqual([]);
      expect(reads.some(([, count]) => count > 0)).toBe(true);
    },
  );

  test.each(WAYS)('a page of messages, waiting or published, reads a page by event type: %s', async (_, read) => {
    const reads: [string, number][] = [];
    for (const eventType of TYPES) {
      const filter = { environmentId, channelId, eventType };
      reads.push([
        `messages ${eventType}`,
        await readsOf(read, (transaction) => listMessages(transaction, filter, page)),
      ]);
      for (const place of [{}, { channelId }])
        reads.push([
          `over channels ${JSON.stringify(place)} ${eventType}`,
          await readsOf(read, (transaction) =>
            findSummaries(transaction, { environmentId, ...place, eventType }, page),
          ),
        ]);
      const waiting = { ...filter, status: 'scheduled' as const };
      reads.push([
        `scheduled ${eventType}`,
        await readsOf(read, (transaction) => listScheduled(transaction, waiting, { ...page, hasPayloads: true })),
      ]);
    }
    expect(reads.filter(([, count]) => !(count <= MOST_READ))).toEqual([]);
  });

  test.each(WAYS)('a look for changes reads the newest of each kind and state alone: %s', async (_, read) => {
    const count = await readsOf(read, (transaction) => look(transaction, environmentId));
    // Walks over deliveries and dead letters, with their index entries.
    expect([count > NEWEST, count <= 14 * NEWEST]).toEqual([true, true]);
  });

  test.each(WAYS)('a look at payloads reads its own messages, by event type or not: %s', async (_, read) => {
    const reads: [string, number][] = [];
    for (const place of [{}, { channelId }, { exceptChannelId: systemChannelId(environmentId) }])
      for (const eventType of TYPES)
        reads.push([
          `${JSON.stringify(place)} ${eventType}`,
          await readsOf(read, (transaction) =>
            readPayloads(transaction, { environmentId, ...place, eventType }, { after: undefined, needle: '{}' }),
          ),
        ]);
    expect(reads.filter(([, count]) => !(count <= 3 * LOOK.messages + MOST_READ))).toEqual([]);
    expect(reads.some(([, count]) => count > LOOK.messages)).toBe(true);
  });

  // Regression: whatever waits in the environment was gone through for any subscription's.
  test.each(WAYS)(
    'the waiting deliveries of a subscription are found behind the backlog of another one: %s',
    async (_, read) => {
      const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
      const { id: subscriptionId } = await createSubscription(posthorn, target);
      await insert('new.common', 'pending', 10, [subscriptionId, subscriptionId]);
      await insert('new.common', 'pending', ROWS);
      const filter = { environmentId, subscriptionId, status: ['pending'] as const };

      const count = await readsOf(read, async (transaction) =>
        expect((await listDeliveries(transaction, filter, page, new Date())).deliveries).toHaveLength(10),
      );

      // Besides its own it looks how much there is to go through, up to 5,001.
      expect(count).toBeLessThan(5_001 + MOST_READ);
    },
  );

  // Rows that a page of these filters may look at, of each status (src/delivery/record/unindexed-store.ts), each once in a first look
  // of 200.
  const MOST_LOOKED = 5_200;
  const LOOKED = [
    { errorClass: 'tls' },
    { errorClass: 'status', status: ['failed'] },
    { errorStatus: '418' },
    { errorStatus: '404-418' },
    { errorStatus: '5xx', eventType: 'none.*' },
    { minLatencyMs: 29_000 },
    { held: 'true' },
    { held: 'false', status: ['failed'] },
  ] as const;

  describe('by what no index has', () => {
    let subscriptionId: string;
    /** The oldest one of many failed ones is the only one of its class, and the only slow one. */
    let oldest: string | undefined;
    beforeAll(async () => {
      const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
      ({ id: subscriptionId } = await createSubscription(posthorn, target));
      [oldest] = await insertFailed(posthorn.deps.pool, { environmentId, channelId }, subscriptionId, 8_000);
    });

    test.each(WAYS)(
      'a page of deliveries looks at a bounded number of rows, and the next one goes on: %s',
      async (_, read) => {
        for (const [place, filter] of [NOWHERE, CHANNEL, () => ({ subscriptionId })].flatMap((where) =>
          LOOKED.map((one) => [where(), one] as const),
        )) {
          const wanted = { environmentId, ...place, ...filter };
          const count = await readsOf(read, (transaction) => listDeliveries(transaction, wanted, page, new Date()));
          expect([wanted, count <= 3 * MOST_LOOKED]).toEqual([wanted, true]);
        }
        for (const filter of [{ errorClass: 'tls' as const }, { errorClass: 'tls' as const, subscriptionId }]) {
          const found: string[] = [];
          let after: string | undefined;
          let pages = 0;
          do {
            const { deliveries, lookedTo }: Awaited<ReturnType<typeof listDeliveries>> = await tenants.within(
              { organisationId, environmentId },
              (transaction) =>
                listDeliveries(transaction, { environmentId, ...filter }, { limit: PAGE, after }, new Date()),
            );
            found.push(...deliveries.map(({ id }) => id));
            after = lookedTo;
            pages += 1;
          } while (after !== undefined);
          expect([found, pages]).toEqual([[oldest], 2]);
        }
        const slow = { environmentId, minLatencyMs: 29_000 };
        const count = await readsOf(read, async (transaction) => {
          const { deliveries } = await listDeliveries(transaction, slow, page, new Date());
          expect(deliveries.map(({ id }) => id)).toContain(oldest);
        });
        expect(count).toBeLessThan(MOST_READ);
      },
    );
  });
});

describe('name plans', () => {
  const ROWS = 12_000;
  const PAGE = 20;
  /** Rows that a page by a name looks at (src/platform/db/sql/name-look.ts), and those that it shows. */
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
        findSubscriptionsNamed(transaction, place.environmentId, page(after), { part }, new Date()),
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

  // Regression: a name that few things have was looked for in all of an environment.
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
});

describe('list times', () => {
  const COUNT = 20;
  type Shown = { id: string } & Record<'publishedAt' | 'createdAt' | 'failedAt', string>;

  let posthorn: TestPosthorn;
  let channelId: string;
  let systemChannel: string;

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    const { db, pool } = posthorn.deps;
    ({ id: channelId } = await createChannel(posthorn));
    systemChannel = systemChannelId((await db.channel.findUniqueOrThrow({ where: { id: channelId } })).environmentId);
    for (const channel of [channelId, systemChannel])
      await createSubscription(posthorn, { channelId: channel, webhookUrl: 'http://127.0.0.1:4000/' });
    await publishBatch(posthorn, channelId, COUNT);
    for (const { id } of await db.delivery.findMany({ where: { channelId } })) {
      const letter = {
        deliveryId: id,
        round: 1,
        reason: 'cancelled' as const,
        message: 'ended',
      };
      expect(await endAsDeadLetter(pool, letter)).toBe(true);
    }
  });
  afterAll(() => posthorn.stop());

  const list = async (path: string): Promise<Shown[]> => {
    const { body } = await posthorn.request<PageJson<Shown>>('GET', path);
    return body.data;
  };
  const moved = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

  /** Each item is found between the milliseconds around the time that it shows, and neither before nor after that time. */
  async function expectFoundAtItsTime(path: string, field: 'publishedAt' | 'createdAt' | 'failedAt'): Promise<void> {
    const items = await list(`${path}limit=100`);
    expect(items).toHaveLength(COUNT);
    for (const { id, [field]: time } of items) {
      const ids = async (query: string): Promise<string[]> =>
        (await list(`${path}limit=100&${query}`)).map((item) => item.id);
      expect(await ids(`since=${moved(time, -1)}&until=${moved(time, 1)}`)).toContain(id);
      expect(await ids(`since=${time}`)).not.toContain(id);
      expect(await ids(`until=${time}`)).not.toContain(id);
    }
  }

  // Regression: the time was taken a second time, and rounded to the next millisecond as often as not.
  test('a service event is listed at the time that it shows', () =>
    expectFoundAtItsTime(`/v1/channels/${systemChannel}/messages?`, 'publishedAt'));

  // Regression: createdAt was the beginning of the transaction, rounded, and so before the time in the id, or behind it.
  test('a delivery is listed at the time that it shows, of an event as well', async () => {
    await expectFoundAtItsTime(`/v1/deliveries?channelId=${channelId}&`, 'createdAt');
    await expectFoundAtItsTime(`/v1/deliveries?channelId=${systemChannel}&`, 'createdAt');
  });

  test('a dead letter is listed at the time that it shows', () => expectFoundAtItsTime('/v1/dlq?', 'failedAt'));
});
