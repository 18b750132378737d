import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findVersions, insertWorkflow } from '../../src/automations/definitions/store.ts';
import { findConnection, findConnections } from '../../src/automations/connections/store.ts';
import { findConnectors } from '../../src/automations/definitions/reference-store.ts';
import { findRuns } from '../../src/automations/runs/store.ts';
import { findByName } from '../../src/platform/db/sql/name-look.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { selectRetryable } from '../../src/delivery/replays/delivery-store.ts';
import { discardDeadLetters } from '../../src/delivery/record/statements/dead-letters.ts';
import { retryDeliveries } from '../../src/delivery/record/statements/due-again.ts';
import { findAttempt } from '../../src/delivery/record/store.ts';
import { findHome } from '../../src/identity/credentials/machine-credentials/store.ts';
import { findSigners } from '../../src/insight/inspectors/receive-store.ts';
import { countInspectors, findInspector, findInspectors, findRequest } from '../../src/insight/inspectors/store.ts';
import { findMessages } from '../../src/messaging/messages/store.ts';
import { findSummaries } from '../../src/messaging/messages/summaries-store.ts';
import { RUN_STATUSES } from '../../src/kernel/words/statuses.ts';
import { eventTriggerOf } from '../../src/automations/definitions/plan/events.ts';
import { loadPublishingConfig } from '../../src/messaging/publishing/configs/channel-configs.ts';
import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import { environmentsToPass, removeRunBatch } from '../../src/delivery/retention/run-store.ts';
import { findNamed } from '../../src/insight/search/store.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { makeBareNeighbours } from '../support/make/bare-neighbours.ts';
import { insertPausedRun, make, seedResources } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

// As in isolation-automations.test.ts, titles begin with the file whose conditions they test.

let posthorn: TestPosthorn;
let all: Awaited<ReturnType<typeof makeBareNeighbours>>;
/** A channel of the sibling. */
let ownChannelId: string;
const page = { limit: 100, after: undefined };

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  all = await makeBareNeighbours(posthorn);
  // So that lists have a second page.
  await seedResources(posthorn, posthorn.keys.live);
  ownChannelId = (await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'own' })).id;
});
afterAll(() => posthorn.stop());

test.each([
  ['src/automations/approvals/service.ts', '/v1/approvals'],
  ['src/automations/connections/service.ts', '/v1/connections'],
  ['src/automations/connectors/service.ts', '/v1/connectors'],
  ['src/automations/definitions/service.ts', '/v1/workflows'],
  ['src/inbound/service.ts', '/v1/webhooks'],
  ['src/automations/runs/service.ts', '/v1/runs'],
  ['src/automations/secrets/service.ts', '/v1/secrets'],
  ['src/insight/inspectors/service.ts', '/v1/inspectors'],
  ['src/messaging/messages/service.ts', '/v1/messages'],
  ['src/messaging/messages/look-through.ts', '/v1/search?q=payload.n%3D1'],
])('%s returns cursors of %s that the other environment cannot use', async (_, path) => {
  type List = { pagination: { cursor?: string } };
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=1`;
  const { body } = await posthorn.request<List>('GET', first);
  expect(body.pagination.cursor).toEqual(expect.any(String));
  const next = `${first}&cursor=${body.pagination.cursor}`;
  expect((await posthorn.request('GET', next)).status).toBe(200);
  expect((await posthorn.request('GET', next, undefined, { key: posthorn.keys.test })).status).toBe(400);
});

test.each([
  ['refusals', 'webhooks'],
  ['requests', 'webhooks'],
  ['requests', 'inspectors'],
])('a cursor of the %s of one of the %s is invalid for any other', async (name, collection) => {
  type List = { data: { id: string }[]; pagination: { cursor?: string } };
  const owners = await posthorn.request<List>('GET', `/v1/${collection}`);
  const [one, other] = owners.body.data.map(({ id }) => `/v1/${collection}/${id}/${name}?limit=1`);
  const { body } = await posthorn.request<List>('GET', one ?? '');
  const cursor = `&cursor=${body.pagination.cursor}`;
  expect((await posthorn.request('GET', `${one}${cursor}`)).status).toBe(200);
  expect((await posthorn.request('GET', `${other}${cursor}`)).status).toBe(400);
});

test('src/messaging/messages/summaries-store.ts finds no message of another environment', async () => {
  const { channelId } = all.ids;
  const found = async (filter: Parameters<typeof findSummaries>[1]) =>
    (await findSummaries(posthorn.deps.db, filter, page)).messages;
  expect(await found({ ...all.victim, channelId })).not.toEqual([]);
  for (const { environmentId } of all.neighbours) {
    expect(await found({ environmentId })).toEqual([]);
    expect(await found({ environmentId, channelId })).toEqual([]);
  }
});

test('src/automations/runs/store.ts finds no run of several statuses of another environment', async () => {
  const found = ({ environmentId }: { environmentId: string }) =>
    findRuns(posthorn.deps.db, { environmentId, status: RUN_STATUSES, ids: {} }, { ...page, hasOutputs: false });
  expect(await found(all.victim)).not.toEqual([]);
  for (const neighbour of all.neighbours) expect(await found(neighbour)).toEqual([]);
});

test.each<[string, (environmentId: string) => Promise<unknown>]>([
  [
    'src/messaging/messages/store.ts finds no message',
    async (environmentId) => (await findMessages(posthorn.deps.db, environmentId, [all.ids.messageId]))[0],
  ],
  [
    'src/delivery/record/store.ts finds no attempt',
    async (environmentId) => {
      const { db } = posthorn.deps;
      const { id } = await db.attempt.findFirstOrThrow({ where: { deliveryId: all.ids.deliveryId } });
      return findAttempt(db, environmentId, id);
    },
  ],
  [
    'src/insight/search/store.ts finds no name',
    async (environmentId) =>
      (await findNamed(posthorn.deps.db, environmentId, { text: 'orders', kinds: ['channel'] }))[0],
  ],
  [
    'src/platform/db/sql/name-look.ts finds no name',
    async (environmentId) => {
      const look = { list: 'channels', environmentId, part: 'orders', ids: undefined, columns: {} } as const;
      return (await findByName(posthorn.deps.db, look, page)).positions[0];
    },
  ],
  [
    'src/automations/definitions/store.ts finds no version',
    async (environmentId) =>
      (await findVersions(posthorn.deps.db, { environmentId, workflowId: all.ids.workflowId }))[0],
  ],
  [
    'src/insight/inspectors/store.ts counts no inspector',
    async (environmentId) => (await countInspectors(posthorn.deps.db, environmentId)) || undefined,
  ],
  [
    'src/insight/inspectors/store.ts lists no inspector',
    async (environmentId) => (await findInspectors(posthorn.deps.db, environmentId, page))[0],
  ],
  [
    'src/insight/inspectors/store.ts finds no inspector',
    (environmentId) => findInspector(posthorn.deps.db, environmentId, all.ids.inspectorId),
  ],
  [
    'src/insight/inspectors/store.ts finds no request',
    (environmentId) => findRequest(posthorn.deps.db, environmentId, all.ids.inspectedRequestId, new Date()),
  ],
  [
    'src/insight/inspectors/receive-store.ts finds no signer',
    async (environmentId) => {
      const { pool } = posthorn.deps;
      return (await findSigners(pool, { messageId: all.ids.messageId, environmentId, url: '' }))[0];
    },
  ],
])('%s of another environment', async (_, find) => {
  expect(await find(all.victim.environmentId)).toBeDefined();
  for (const { environmentId } of all.neighbours) expect(await find(environmentId)).toBeUndefined();
});

test('src/delivery/replays/delivery-store.ts finds no delivery of another environment', async () => {
  const { deliveryId, channelId, subscriptionId, messageId } = all.ids;
  const found = async (filter: Parameters<typeof selectRetryable>[0]): Promise<string[]> => {
    const { text, values } = selectRetryable(filter, { looks: 100, limit: 100, now: new Date() }) ?? { text: '' };
    return (await posthorn.deps.pool.query<{ ids: string[] }>(text, values)).rows.flatMap(({ ids }) => ids);
  };
  for (const filter of [{}, { channelId }, { subscriptionId }, { messageId }]) {
    expect(await found({ ...all.victim, ...filter })).toContain(deliveryId);
    for (const { environmentId } of all.neighbours) expect(await found({ environmentId, ...filter })).toEqual([]);
  }
});

test('src/delivery/record/statements/dead-letters.ts discards no dead letter of another environment', async () => {
  const { db } = posthorn.deps;
  const ids = [all.ids.deadLetterId];
  // Nothing remains of it: the test queries the letter again.
  const discarded = async (environmentId: string): Promise<string[]> => {
    let found: string[] = [];
    const attempt = db.$transaction(async (transaction) => {
      found = await discardDeadLetters(transaction, { ids, environmentId });
      throw new Error('taken back');
    });
    await expect(attempt).rejects.toThrow('taken back');
    return found;
  };
  for (const { environmentId } of all.neighbours) expect(await discarded(environmentId)).toEqual([]);
  expect(await discarded(all.victim.environmentId)).toEqual(ids);
});

test('src/delivery/record/statements/due-again.ts retries no delivery of another environment, and counts none as failed', async () => {
  const retry = (environmentId: string) =>
    inTransaction(posthorn.deps.pool, (connection) =>
      retryDeliveries(connection, {
        ids: [all.ids.deliveryId],
        environmentId,
        statuses: ['failed'],
        requestedBy: all.ids.apiKeyId,
        replayId: all.ids.bulkRetryId,
      }),
    );
  for (const { environmentId } of all.neighbours) expect(await retry(environmentId)).toEqual({ retried: 0, failed: 0 });
  expect(await retry(all.victim.environmentId)).toEqual({ retried: 1, failed: 0 });
});

test('src/identity/credentials/machine-credentials/store.ts finds the home in the app that an operator names', async () => {
  const { db } = posthorn.deps;
  for (const { environmentId } of [all.victim, ...all.neighbours]) {
    const { kind, appId } = await db.environment.findUniqueOrThrow({ where: { id: environmentId } });
    const found = await findHome(db, { kind: kind === 'live' ? 'live' : 'test', appId });
    expect(found?.environmentId).toBe(environmentId);
  }
});

/** The sibling and the victim see a shared connection, and no other tenant does. */
const whoSees = async (see: (of: (typeof all)['victim']) => Promise<boolean>): Promise<boolean[]> =>
  Promise.all([all.victim, ...all.neighbours].map(see));
const share = (): Promise<unknown> =>
  posthorn.deps.db.connection.update({ where: { id: all.ids.connectionId }, data: { shared: true } });

test('src/automations/connections/store.ts shows a shared connection only to the other environment of the app', async () => {
  const { db } = posthorn.deps;
  await share();
  const { connectionId } = all.ids;
  const listed = async (of: typeof all.victim) => (await findConnections(db, of, page, {})).length > 0;
  expect(await whoSees(listed)).toEqual([true, true, false, false]);
  const found = await Promise.all([all.victim, ...all.neighbours].map((of) => findConnection(db, of, connectionId)));
  expect(found.map((each) => each?.connection.environment)).toEqual(['live', 'live', undefined, undefined]);
});

test('src/platform/db/sql/fragments.ts lets only the other environment of the app use a shared connection', async () => {
  const { db } = posthorn.deps;
  await share();
  const { connectionId } = all.ids;
  const uses = async ({ environmentId }: typeof all.victim) =>
    (await findConnectors(db, environmentId, [connectionId])).size > 0;
  expect(await whoSees(uses)).toEqual([true, true, false, false]);
});

test('src/messaging/publishing/configs/config-store.ts starts no trigger and no wait of another environment', async () => {
  const { db, pool } = posthorn.deps;
  const listens = [{ channelIds: [], eventTypes: ['a'] }];
  // One that names a channel would be excluded for that reason alone.
  const trigger = JSON.stringify({ type: 'event', config: { eventType: 'a' } });
  const { workflowId } = all.ids;
  await db.workflowVersion.updateMany({ where: { workflowId }, data: { listens, trigger } });
  const load = (environmentId: string, channelId: string) =>
    loadPublishingConfig({ pool, readTrigger: eventTriggerOf }, environmentId, channelId, undefined);
  const own = await load(all.victim.environmentId, all.ids.channelId);
  expect([own?.triggers.map((each) => each.workflowId), own?.listens]).toEqual([[workflowId], listens]);
  expect(await load(all.sibling.environmentId, ownChannelId)).toMatchObject({ triggers: [], listens: [] });
  for (const { environmentId } of all.neighbours) expect(await load(environmentId, all.ids.channelId)).toBeUndefined();
});

test.each(['runs', 'heard'])(
  'src/delivery/record/statements/publish.ts stores nothing of a publish to a channel of another environment (%s)',
  async (kind) => {
    const { db, pool, newId } = posthorn.deps;
    const { environmentId } = all.sibling;
    const [workflowId, messageId] = [newId('workflow'), newId('message')];
    const draft = { id: workflowId, environmentId, name: 'own', description: undefined, now: new Date() };
    const empty = { status: 'active', triggerType: 'event', texts: {}, listens: undefined, madeBy: 'own' } as const;
    await insertWorkflow(db, { ...draft, ...empty });
    const message = { id: messageId, eventType: 'a', payload: '{}', metadata: undefined, publishedAt: new Date() };
    const run = { id: newId('run'), messageId, workflowId, version: 1, triggerType: 'event' } as const;
    const taken = kind === 'runs' ? { runs: [run] } : { heard: [messageId] };
    const before = await tableContents(pool);
    const publication = { environmentId, channelId: all.ids.channelId, messages: [message], ...taken };
    const { stored } = await storePublications(pool, [publication], undefined);
    expect([stored, await tableContents(pool)]).toEqual([[{ channelStatus: undefined, isStale: false }], before]);
  },
);

test('src/delivery/retention/run-store.ts removes runs by their app and their environment', async () => {
  const { db, pool } = posthorn.deps;
  const now = new Date();
  const daysOf = async () => {
    const { environments } = await environmentsToPass(pool, { after: '', now });
    const days = environments.map(({ environmentId, endedBefore }): [string, number] => [
      environmentId,
      Math.round((now.getTime() - endedBefore.getTime()) / 86_400_000),
    ]);
    expect(new Set(days.map(([id]) => id)).size).toBe(days.length);
    return Object.fromEntries(days);
  };
  await db.app.update({ where: { id: all.ids.appId }, data: { settings: { retentionDays: 7 } } });
  const days = await daysOf();
  const ids = [all.victim, ...all.neighbours].map(({ environmentId }) => environmentId);
  expect(ids.map((id) => days[id])).toEqual([7, 7, 30, 30]);
  const id = await insertPausedRun(posthorn, all.ids.workflowId);
  await db.run.update({ where: { id }, data: { status: 'completed', finishedAt: now } });
  const endedBefore = new Date(now.getTime() + 60_000);
  const before = await tableContents(pool);
  for (const { environmentId } of all.neighbours) await removeRunBatch(pool, { environmentId, endedBefore, after: '' });
  expect(await tableContents(pool)).toEqual(before);
  await removeRunBatch(pool, { ...all.victim, endedBefore, after: '' });
  expect(await db.run.count({ where: { id } })).toBe(0);
});
