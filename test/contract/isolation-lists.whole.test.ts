import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/process/routes.ts';
import { classOf, filtersOf, parametersOf, pathWith } from '../support/check/isolation-table.ts';
import {
  foreignIn,
  insertPasskey,
  insertView,
  makeNeighbourhood,
  type Neighbourhood,
  type Tenant,
} from '../support/make/tenants.ts';
import { personIn } from '../support/make/wrong-callers.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { callerByKey, type CredentialCaller, type Reply } from '../support/world/credential-caller.ts';

let posthorn: TestPosthorn;
let all: Neighbourhood;
/** Two readers of a tenant: its key, and an owner of its organisation who acts in it. */
type Reader = { of: Tenant; byKey: CredentialCaller; byPerson: CredentialCaller };
let readers: Reader[];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  all = await makeNeighbourhood(posthorn);
  // Traffic of each resource: a response and a failure, a moment ago.
  await posthorn.deps.pool.query(`
    INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
    SELECT f.id, f.environment_id, m.minutes, date_bin(make_interval(mins => m.minutes), now(), 'epoch'), c.code, 63, 7
    FROM (SELECT id, environment_id FROM subscriptions UNION ALL SELECT id, environment_id FROM channels
      UNION ALL SELECT id, id FROM environments) AS f (id, environment_id),
      (VALUES (1), (60)) AS m (minutes), (VALUES (200), (4)) AS c (code)
    ON CONFLICT DO NOTHING`);
  await posthorn.deps.pool.query(`
    INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
    SELECT f.id, f.environment_id, m.minutes, date_bin(make_interval(mins => m.minutes), now(), 'epoch'), c.code, 63, 7
    FROM (SELECT id, environment_id FROM workflows UNION ALL SELECT id, environment_id FROM inbound_webhooks UNION ALL SELECT id || '/runs', id FROM environments) AS f (id, environment_id),
      (VALUES (1), (60)) AS m (minutes), (VALUES (-3), (-4)) AS c (code)
    ON CONFLICT DO NOTHING`);
  const { victim, otherApp, otherEnvironment, otherOrganisation } = all;
  readers = [];
  for (const tenant of [victim, otherApp, otherEnvironment, otherOrganisation]) {
    const owner = await all.join(tenant.organisationId, 'owner');
    for (const insert of [insertPasskey, insertView])
      for (const userId of [owner.userId, owner.userId]) await insert(posthorn, userId);
    const { id: organisationId } = await posthorn.deps.db.organisation.create({
      data: { id: posthorn.deps.newId('organisation'), name: 'another one of its owner' },
    });
    await posthorn.deps.db.member.create({ data: { organisationId, userId: owner.userId, role: 'owner' } });
    readers.push({
      of: tenant,
      byKey: callerByKey(posthorn.url, tenant.key),
      byPerson: personIn(posthorn.url, owner, tenant),
    });
  }
});
afterAll(() => posthorn.stop());

type Table = (typeof routes)[number];

const isOfAudit = ({ path }: Table): boolean => path.startsWith('/v1/audit');
/**
 * Everything that shows more than one resource, and ends. The audit log comes first, because exports record their filters there, and so
 * the ids of neighbours that this test sends.
 */
const lists = routes
  .filter(
    ({ method, query, answers }) =>
      method === 'GET' && query !== undefined && answers[200]?.meta()?.['mediaType'] !== 'text/event-stream',
  )
  .toSorted((one, other) => Number(isOfAudit(other)) - Number(isOfAudit(one)));
const hasCursor = ({ query }: Table): boolean => 'cursor' in ((query as { shape?: object }).shape ?? {});
/** Routes that do not accept keys are called by users. */
const ask = (route: Table, { byKey, byPerson }: Reader): CredentialCaller =>
  ['environment', 'any'].includes(classOf(route)) ? byKey : byPerson;
/** Tenants whose resources a reader may see: above environments a whole organisation. */
const visible = (route: Table, { of }: Reader): Tenant[] =>
  classOf(route) === 'environment' || classOf(route) === 'any'
    ? [of]
    : [all.victim, all.otherApp, all.otherEnvironment, all.otherOrganisation, all.suspendedApp].filter(
        ({ organisationId }) => organisationId === of.organisationId,
      );
/** Returns everything that a response shows: the items of a page, groups, statistics, or lines. */
function itemsIn({ text, headers }: Reply): unknown[] {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/x-ndjson')) return text.split('\n').filter((line) => line !== '');
  // The first line is the header.
  if (type.startsWith('text/csv')) return text.split('\r\n').slice(1, -1);
  // `as`: the response was checked against its schema.
  const shown = JSON.parse(text) as Record<string, unknown[] | undefined>;
  const { data, groups, channels, subscriptions, workflows, webhooks, answers, versions, totals } = shown;
  // Runs are counted only by their outcomes.
  const outcomes = totals && Object.entries(totals).filter(([, count]) => Number(count) > 0);
  // Unfinished work is counted as well.
  const left = [shown['pending'], shown['retrying'], shown['openDeadLetters']] as ({ count?: number } | undefined)[];
  if (left.every((each) => each !== undefined)) return left.filter(({ count = 0 }) => count > 0);
  return data ?? groups ?? channels ?? subscriptions ?? workflows ?? webhooks ?? answers ?? versions ?? outcomes ?? [];
}
const cursorIn = ({ text }: Reply): string | undefined =>
  (JSON.parse(text) as { pagination: { cursor?: string } }).pagination.cursor;

describe.each(lists)('$method $path', (route) => {
  test('shows its own resources and nothing of any neighbour, whatever filters and ids of neighbours the request has', async () => {
    const [first, ...others] = readers as [Reader, ...Reader[]];
    const own = await ask(route, first)(route.method, pathWith(route.path, first.of.ids));
    // Some of its resources may be alike and form one group; its workflow has one version.
    expect(itemsIn(own).length).toBeGreaterThan(/\/(groups|versions)$/.test(route.path) ? 0 : 1);
    for (const reader of others) {
      const path = pathWith(route.path, reader.of.ids);
      const wrong: unknown[] = [];
      for (const filter of filtersOf(route, first.of.ids)) {
        const sent = `${path}?${filter}${hasCursor(route) ? '&limit=100' : ''}`;
        const reply = await ask(route, reader)(route.method, sent);
        const foreign = foreignIn(all, reply.text, { own: visible(route, reader) });
        if (reply.status !== 200 || foreign.length > 0) wrong.push({ filter, status: reply.status, foreign });
        const named = foreignIn(all, sent, { own: visible(route, reader) });
        if (named.length > 0 && itemsIn(reply).length > 0) wrong.push({ filter, shows: itemsIn(reply) });
      }
      expect(wrong).toEqual([]);
    }
  });

  if (!hasCursor(route)) return;

  test('returns cursors that no neighbour can use', async () => {
    const [first, ...others] = readers as [Reader, ...Reader[]];
    const cursor = cursorIn(await ask(route, first)(route.method, `${pathWith(route.path, first.of.ids)}?limit=1`));
    expect(cursor).toEqual(expect.any(String));
    for (const reader of others) {
      const path = `${pathWith(route.path, reader.of.ids)}?limit=100&cursor=${cursor}`;
      const reply = await ask(route, reader)(route.method, path);
      expect(foreignIn(all, reply.text, { own: visible(route, reader) })).toEqual([]);
      // A list of a whole organisation is the same from each of its apps; a user's own list is never a neighbour's.
      const isOwn =
        classOf(route) !== 'environment' &&
        classOf(route) !== 'any' &&
        reader.of.organisationId === first.of.organisationId;
      const isPersonal = parametersOf(route.path, reader.of.ids).length === 0 && classOf(route) === 'person';
      expect(reply.status).toBe(isOwn && !isPersonal ? 200 : 400);
    }
  });
});
