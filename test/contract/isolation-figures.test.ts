import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noteTest } from '../../src/automations/connections/store.ts';
import { findTargets, look } from '../../src/insight/changes/store.ts';
import { findUnindexed, unindexedConditions } from '../../src/delivery/record/unindexed-store.ts';
import { countLocked, deleteView, findView, findViews, isNameTaken } from '../../src/insight/views/store.ts';
import { createInstallation } from '../../src/insight/installation/service.ts';
import { deleteMarker, findMarker, findMarkers, keepNewest } from '../../src/insight/markers/store.ts';
import {
  countOfChannel,
  countOfEnvironment,
  countOfSubscriptions,
  findBusy,
} from '../../src/insight/stats/deliveries-store.ts';
import { spanOf } from '../../src/insight/stats/span.ts';
import {
  allRunsOf,
  countLeft,
  countSubscriptions,
  countUnfinished,
  findChannelIds,
  findCounted,
  findLastRuns,
  findSubscriptions,
  findWebhookIds,
  findWorkflowIds,
  isOfChannel,
  countLeftOfChannel,
} from '../../src/insight/stats/store.ts';
import { makeBareNeighbours } from '../support/make/bare-neighbours.ts';
import { make } from '../support/make/seed.ts';
import { insertView } from '../support/make/tenants.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

// As in isolation-automations.test.ts, titles begin with the file whose conditions they test.

let posthorn: TestPosthorn;
let all: Awaited<ReturnType<typeof makeBareNeighbours>>;
/** Two users, each with a view of the same name. */
const people: { userId: string; viewId: string }[] = [];
const page = { limit: 100, after: undefined };
const HOUR = 3_600_000;
const begun = new Date(Math.floor(Date.now() / HOUR) * HOUR);
const span = { since: begun, until: new Date(begun.getTime() + HOUR), stepMs: HOUR, minutes: 60 };

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  all = await makeBareNeighbours(posthorn);
  const { db, pool, newId, clock } = posthorn.deps;
  await make(posthorn, posthorn.keys.live, '/v1/markers', { name: 'first' });
  await make(posthorn, posthorn.keys.live, '/v1/markers', { name: 'second' });
  const { environmentId } = all.victim;
  for (const ofId of [environmentId, all.ids.channelId, all.ids.subscriptionId, allRunsOf(environmentId)])
    await pool.query(
      `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count) VALUES ($1, $2, 60, $3, 200, 63, 1)`,
      [ofId, environmentId, begun],
    );
  for (const email of ['one@example.com', 'other@example.com']) {
    const userId = newId('user');
    const times = { createdAt: clock(), updatedAt: clock() };
    await db.user.create({ data: { id: userId, email, name: 'Somebody', ...times } });
    people.push({ userId, viewId: await insertView(posthorn, userId) });
  }
});
afterAll(() => posthorn.stop());

test.each<[string, (environmentId: string) => Promise<unknown>]>([
  [
    'src/insight/markers/store.ts lists no mark',
    async (environmentId) => (await findMarkers(posthorn.deps.db, { environmentId, ids: {} }, page))[0],
  ],
  [
    'src/insight/markers/store.ts finds no mark',
    async (environmentId) => {
      const { db } = posthorn.deps;
      const { id } = await db.marker.findFirstOrThrow({ where: { environmentId: all.victim.environmentId } });
      return findMarker(db, environmentId, id);
    },
  ],
  [
    'src/insight/stats/store.ts counts no traffic of the environment',
    async (environmentId) =>
      (await findCounted(posthorn.deps.db, { environmentId, ofIds: [all.victim.environmentId] }, span))[0],
  ],
  [
    'src/insight/stats/store.ts counts no traffic of the channel',
    async (environmentId) =>
      (await findCounted(posthorn.deps.db, { environmentId, ofIds: [all.ids.channelId] }, span))[0],
  ],
  [
    'src/insight/stats/store.ts finds no subscription',
    async (environmentId) =>
      (await findSubscriptions(posthorn.deps.db, environmentId, [all.ids.subscriptionId], new Date()))[0],
  ],
  [
    'src/insight/stats/store.ts names no subscription',
    async (environmentId) => (await findSubscriptions(posthorn.deps.db, environmentId, undefined, new Date()))[0],
  ],
  [
    'src/insight/stats/store.ts finds no channel',
    async (environmentId) => (await findChannelIds(posthorn.deps.db, environmentId, [all.ids.channelId]))[0],
  ],
  [
    'src/insight/stats/store.ts names no channel',
    async (environmentId) =>
      (await findChannelIds(posthorn.deps.db, environmentId, undefined)).find((id) => id === all.ids.channelId),
  ],
  [
    'src/insight/stats/store.ts finds no workflow',
    async (environmentId) => (await findWorkflowIds(posthorn.deps.db, environmentId, [all.ids.workflowId]))[0],
  ],
  [
    'src/insight/stats/store.ts finds no inbound webhook',
    async (environmentId) => (await findWebhookIds(posthorn.deps.db, environmentId, [all.ids.webhookId]))[0],
  ],
  [
    'src/insight/stats/store.ts names no workflow',
    async (environmentId) =>
      (await findWorkflowIds(posthorn.deps.db, environmentId, undefined)).find((id) => id === all.ids.workflowId),
  ],
  [
    'src/insight/stats/store.ts finds no last run',
    async (environmentId) =>
      (
        await posthorn.deps.db.$transaction((transaction) =>
          findLastRuns(transaction, environmentId, [all.ids.workflowId]),
        )
      )[0],
  ],
  [
    'src/insight/stats/store.ts counts no subscription of the channel',
    async (environmentId) =>
      (await countSubscriptions(posthorn.deps.db, environmentId, [all.ids.channelId])).get(all.ids.channelId) ||
      undefined,
  ],
  [
    'src/insight/stats/store.ts finds no subscription of a channel',
    async (environmentId) =>
      (await isOfChannel(posthorn.deps.db, {
        environmentId,
        subscriptionId: all.ids.subscriptionId,
        channelId: all.ids.channelId,
      })) || undefined,
  ],
  [
    'src/insight/stats/store.ts counts no open dead letter',
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) => {
        const { count } = await countLeft(transaction, environmentId, 'open');
        return count || undefined;
      }),
  ],
  ...(['pending', 'open'] as const).map((status): [string, (environmentId: string) => Promise<unknown>] => [
    `src/insight/stats/store.ts counts no ${status} one of a channel`,
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) => {
        const { channelId, deliveryId } = all.ids;
        // The only delivery has failed; it counts as pending while that is counted.
        const now = status === 'pending' ? status : 'failed';
        await transaction.$executeRaw`UPDATE deliveries SET status = ${now} WHERE id = ${deliveryId}`;
        const { count } = await countLeftOfChannel(transaction, { environmentId, channelId, status });
        await transaction.$executeRaw`UPDATE deliveries SET status = 'failed' WHERE id = ${deliveryId}`;
        return count || undefined;
      }),
  ]),
  [
    'src/insight/stats/deliveries-store.ts counts no delivery of the environment',
    (environmentId) =>
      posthorn.deps.db.$transaction(
        async (transaction) => (await countOfEnvironment(transaction, environmentId, present())).counted[0],
      ),
  ],
  [
    'src/insight/stats/deliveries-store.ts counts no delivery of the channel',
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) => {
        const { channelId } = all.ids;
        return (await countOfChannel(transaction, { environmentId, channelId }, present())).counted[0];
      }),
  ],
  [
    'src/insight/stats/deliveries-store.ts finds no subscription of the channel',
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) => {
        const { channelId } = all.ids;
        return (await findBusy(transaction, { environmentId, channelId, span: present() }))[0];
      }),
  ],
  [
    'src/insight/stats/deliveries-store.ts counts no delivery of the subscription',
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) => {
        const { subscriptionId } = all.ids;
        const subscriptionIds = [subscriptionId];
        const counts = await countOfSubscriptions(transaction, { environmentId, subscriptionIds }, present());
        return counts.get(subscriptionId)?.counted[0];
      }),
  ],
  [
    'src/insight/stats/store.ts counts no runs',
    async (environmentId) => {
      const ofIds = [allRunsOf(environmentId)];
      return (await findCounted(posthorn.deps.db, { environmentId, ofIds }, span))[0];
    },
  ],
  [
    'src/insight/stats/store.ts counts no unfinished run',
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) => {
        const { count } = await countUnfinished(transaction, environmentId, undefined);
        return count || undefined;
      }),
  ],
  ['src/delivery/record/unindexed-store.ts finds no delivery', (environmentId) => firstLooked({ environmentId })],
  [
    'src/delivery/record/unindexed-store.ts finds no delivery of the subscription',
    (environmentId) => firstLooked({ environmentId, subscriptionId: all.ids.subscriptionId }),
  ],
  [
    'src/insight/changes/store.ts sees no message',
    (environmentId) =>
      posthorn.deps.db.$transaction(async (transaction) =>
        (await look(transaction, environmentId)).find(({ id }) => id === all.ids.messageId),
      ),
  ],
  [
    'src/insight/changes/store.ts finds no target',
    async (environmentId) => {
      const { db } = posthorn.deps;
      const entry = await db.auditEntry.findFirstOrThrow({ where: { environmentId: all.victim.environmentId } });
      return (await findTargets(db, environmentId, [entry.id]))[0];
    },
  ],
])('%s of another environment', async (_, find) => {
  expect(await find(all.victim.environmentId)).toBeDefined();
  for (const { environmentId } of all.neighbours) expect(await find(environmentId)).toBeUndefined();
});

/** A time span that includes the deliveries of this file. */
const present = () => spanOf({}, new Date());

const firstLooked = (filter: { environmentId: string; subscriptionId?: string }): Promise<string | undefined> =>
  posthorn.deps.db.$transaction(async (transaction) => {
    const conditions = (values: Parameters<typeof unindexedConditions>[1]) =>
      unindexedConditions(filter, values, new Date());
    return (await findUnindexed(transaction, filter, page, conditions)).ids[0];
  });

test('src/insight/markers/service.ts returns cursors of markers that the other environment cannot use', async () => {
  type List = { pagination: { cursor?: string } };
  const { body } = await posthorn.request<List>('GET', '/v1/markers?limit=1');
  const next = `/v1/markers?limit=1&cursor=${body.pagination.cursor}`;
  expect((await posthorn.request('GET', next)).status).toBe(200);
  expect((await posthorn.request('GET', next, undefined, { key: posthorn.keys.test })).status).toBe(400);
});

test('src/insight/markers/store.ts removes no marker of another environment', async () => {
  const { db } = posthorn.deps;
  const before = await db.marker.findMany({ where: { environmentId: all.victim.environmentId } });
  const own = { createdAt: new Date(), at: new Date(), madeBy: 'key', name: 'own' };
  for (const { environmentId } of all.neighbours) {
    for (const name of ['older', 'newer'])
      await db.marker.create({ data: { ...own, name, id: posthorn.deps.newId('marker'), environmentId } });
    for (const { id } of before) await deleteMarker(db, environmentId, id);
    await keepNewest(db, environmentId, 1);
    expect(await db.marker.count({ where: { environmentId } })).toBe(1);
  }
  expect(await db.marker.findMany({ where: { environmentId: all.victim.environmentId } })).toEqual(before);
  // Newer markers of neighbours do not displace the tenant's own.
  await keepNewest(db, all.victim.environmentId, 1);
  expect(await db.marker.count({ where: { environmentId: all.victim.environmentId } })).toBe(1);
});

test('src/insight/views/store.ts finds a view only for its user', async () => {
  const { db } = posthorn.deps;
  const [one, other] = people as [(typeof people)[number], (typeof people)[number]];
  expect(await findView(db, { userId: one.userId, id: one.viewId })).toBeDefined();
  expect(await findView(db, { userId: other.userId, id: one.viewId })).toBeUndefined();
  expect((await findViews(db, other.userId, page)).map(({ id }) => id)).toEqual([other.viewId]);
  expect(await db.$transaction((transaction) => countLocked(transaction, one.userId))).toBe(1);
  const { name } = await db.view.findUniqueOrThrow({ where: { id: one.viewId } });
  expect(await isNameTaken(db, { userId: one.userId, page: 'deliveries', name })).toBe(true);
  expect(await isNameTaken(db, { userId: other.userId, page: 'deliveries', name })).toBe(false);
  expect(await deleteView(db, { userId: other.userId, id: one.viewId })).toBe(false);
  expect(await db.view.count({ where: { id: one.viewId } })).toBe(1);
});

test('src/insight/installation/service.ts shows the service only to the first organisation', async () => {
  const lifetimes = { idleMs: 1, lifeMs: 2, freshMs: 3 };
  const unasked = () => Promise.reject(new Error('is not asked'));
  const installation = createInstallation(posthorn.deps, {
    lifetimes,
    firstOrganisation: async () => 'org_first',
    readBacklog: unasked,
    readWaiting: unasked,
    readOldestDue: unasked,
    readTables: unasked,
    look: unasked,
    temporalVersion: () => undefined,
  });
  // `as`: the only part of a caller that the service reads.
  const callerOf = (organisationId: string) => ({ organisationId }) as Parameters<typeof installation.signIn>[0];
  await expect(installation.signIn(callerOf('org_first'))).resolves.toBeDefined();
  await expect(installation.signIn(callerOf('org_second'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('src/automations/connections/store.ts records no test of another environment', async () => {
  const { db } = posthorn.deps;
  const { id, updatedAt } = await db.connection.findUniqueOrThrow({ where: { id: all.ids.connectionId } });
  const outcome = { ok: true, message: 'theirs', at: new Date() };
  for (const { environmentId } of all.neighbours) await noteTest(db, { environmentId, id, updatedAt }, outcome);
  expect(await db.connection.count({ where: { lastTestMessage: 'theirs' } })).toBe(0);
});
