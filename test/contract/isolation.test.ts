import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/process/routes.ts';
import { ROLES, type Role, SCOPES_OF_ROLE, SCOPES } from '../../src/kernel/words/rights.ts';
import { type ErrorCode, STATUS_OF_CODE } from '../../src/kernel/errors.ts';
import {
  bodiesOf,
  classOf,
  type Example,
  exampleOf,
  FOREIGN_IN_BODY,
  isOpenTo,
  KINDS,
  leastRoleOf,
  MAY_CHANGE,
  parametersOf,
  pathWith,
  PLACES,
  type RouteClass,
} from '../support/check/isolation-table.ts';
import { type TableContents, tableContents } from '../support/check/table-contents.ts';
import { foreignIn, makeNeighbourhood, type Neighbourhood, type TenantIds } from '../support/make/tenants.ts';
import {
  type Callers,
  makeWrongCallers,
  personIn,
  strangerIn,
  type WrongCaller,
} from '../support/make/wrong-callers.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { CredentialCaller, Reply } from '../support/world/credential-caller.ts';

let posthorn: TestPosthorn;
let all: Neighbourhood;
let callers: Callers;
const people = new Map<Role, CredentialCaller>();

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  all = await makeNeighbourhood(posthorn);
  for (const role of ROLES)
    people.set(role, personIn(posthorn.url, await all.join(all.victim.organisationId, role), all.victim));
  callers = await makeWrongCallers(posthorn, all);
});
afterAll(() => posthorn.stop());

type Case = { kind: string; presented: string; code: ErrorCode; reply: Promise<Reply> };
/** Everything that a refusal shows, and what it must not have changed. */
type Outcome = { caller: string; status: number; code: string; foreign: string[] };

const withoutAllowed = (contents: TableContents): TableContents =>
  Object.fromEntries(Object.entries(contents).filter(([name]) => !(name in MAY_CHANGE)));

/** Asserts that every case is refused with its code and shows nothing of another tenant, and that together they change no row. */
async function expectAllRefused(ask: () => Case[], sent: string): Promise<void> {
  const before = await tableContents(posthorn.deps.pool);
  const cases = ask();
  const outcomes = await Promise.all(
    cases.map(async ({ kind, presented, reply }): Promise<Outcome> => {
      const { status, text } = await reply;
      const { error } = (text === '' ? {} : JSON.parse(text)) as { error?: { code: string } };
      return {
        caller: `${kind}, ${presented}`,
        status,
        code: error?.code ?? 'none',
        foreign: foreignIn(all, text, { sent }),
      };
    }),
  );
  expect(outcomes).toEqual(
    cases.map(({ kind, presented, code }) => ({
      caller: `${kind}, ${presented}`,
      status: STATUS_OF_CODE[code],
      code,
      foreign: [],
    })),
  );
  expect(withoutAllowed(await tableContents(posthorn.deps.pool))).toEqual(withoutAllowed(before));
}

type Table = (typeof routes)[number];

/** Returns the request of a route with the ids of a tenant. */
function requestFor(route: Table, ids: TenantIds): Example & { path: string; sent: string } {
  const example = exampleOf(route, ids);
  const path = pathWith(route.path, ids);
  return { ...example, path, sent: `${path} ${JSON.stringify(example.body ?? '')}` };
}

const isPlace = (kind: string): boolean => (PLACES as readonly string[]).includes(kind);

function casesOf(route: Table): Case[] {
  const { path } = requestFor(route, all.victim.ids);
  const bodies = bodiesOf(route, all.victim.ids);
  const of = classOf(route) as RouteClass;
  const scope = typeof route.access === 'object' ? route.access.scope : SCOPES[0];
  return [...callers.wrong, ...(callers.without.get(scope) ?? [])].flatMap((caller: WrongCaller): Case[] => {
    const { kind, presented, call } = caller;
    if (isOpenTo(route, caller)) return [];
    const code = KINDS[kind]?.[presented]?.[of];
    if (code === undefined) throw new Error(`KINDS says nothing of ${kind} with a ${presented}`);
    const ask = (refusal: ErrorCode, target: string, body: unknown): Case => ({
      kind,
      presented,
      code: refusal,
      reply: call(route.method, target, body),
    });
    if (!isPlace(kind) || code !== 'NOT_FOUND' || caller.of === undefined)
      return bodies.map((body) => ask(code, path, body));
    // Resources of the victim that the caller does not have: in the path, or only in the body.
    const { ids } = caller.of;
    const [ownPath, ownBodies] = [pathWith(route.path, ids), bodiesOf(route, ids)];
    const inBody = bodies.filter((body, index) => JSON.stringify(body) !== JSON.stringify(ownBodies[index]));
    return [
      ...(path === ownPath ? [] : bodies.map((body) => ask(code, path, body))),
      ...(of === 'person' ? [] : inBody.map((body) => ask(FOREIGN_IN_BODY, ownPath, body))),
    ];
  });
}

/** Public routes accept no credential that could be a wrong one: their own checks are tested in test/identity. */
const guarded = routes.filter((route) => classOf(route) !== 'public');

describe.each(guarded)('$method $path', (route) => {
  test('has an example request, and tenants have an id for every parameter of its path', () => {
    expect(parametersOf(route.path, all.victim.ids)).toEqual(Object.keys(route.params));
    expect(exampleOf(route, all.victim.ids).body === undefined).toBe(route.consumes === 'none');
  });

  test('refuses every wrong caller, shows nothing and changes nothing', async () => {
    const { path } = requestFor(route, all.victim.ids);
    await expectAllRefused(() => casesOf(route), `${path} ${JSON.stringify(bodiesOf(route, all.victim.ids))}`);
  });

  test('accepts users with the least role that has its scope, and none below', async () => {
    const { path, body, sent } = requestFor(route, all.victim.ids);
    const { access } = route;
    const isLet = (role: Role): boolean =>
      typeof access === 'object'
        ? SCOPES_OF_ROLE[role].has(access.scope)
        : ROLES.indexOf(role) >= ROLES.indexOf(leastRoleOf(route) ?? 'viewer');
    const refused = ROLES.filter((role) => !isLet(role));
    await expectAllRefused(
      () =>
        refused.map((role) => ({
          kind: role,
          presented: 'session',
          code: 'FORBIDDEN',
          reply: call(role)(route.method, path, body),
        })),
      sent,
    );
    const stranger = await strangerIn(posthorn.url)(route.method, path, body);
    expect([stranger.status, foreignIn(all, stranger.text, { sent })]).toEqual([401, []]);
    // An unknown parameter: callers with access are refused because of it, and nothing is done.
    for (const role of ROLES.filter(isLet)) {
      const { status, text } = await call(role)(route.method, `${path}?zebra=1`, body);
      expect([role, status]).toEqual([role, 400]);
      expect(text).toContain('zebra');
    }
  });
});

function call(role: Role): CredentialCaller {
  const caller = people.get(role);
  if (caller === undefined) throw new Error(`Nobody has the role ${role}`);
  return caller;
}
