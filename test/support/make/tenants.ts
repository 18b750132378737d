import { randomBytes } from 'node:crypto';
import type { EnvironmentKind, Role } from '../../../src/kernel/words/rights.ts';
import type { ResourceIds } from '../check/contract-table.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { type Browser, createBrowser } from '../world/browser.ts';
import { insertOrganisation } from './organisation.ts';
import { codeOf, signIn } from './people.ts';
import { endAsDeadLetter, insertAttempt, make, seedResources } from './seed.ts';

/** An id of everything that a path may name: the resources, and what users have. A new path parameter gets its id here. */
export type TenantIds = ResourceIds & {
  userId: string;
  invitationId: string;
  sessionId: string;
  passkeyId: string;
  viewId: string;
};

/** An environment with everything that belongs to it. */
export type Tenant = {
  organisationId: string;
  appId: string;
  environment: EnvironmentKind;
  environmentId: string;
  /** An API key with every scope. */
  key: string;
  ids: TenantIds;
  /** Ids and texts that no other tenant may see, including those of its app and organisation. */
  marks: ReadonlySet<string>;
};

export type Person = { browser: Browser; userId: string; email: string; password: string };

/** The tenant that all others try to reach, and its neighbours on every side. */
export type Neighbourhood = {
  victim: Tenant;
  otherOrganisation: Tenant;
  otherApp: Tenant;
  otherEnvironment: Tenant;
  /** Its app is suspended once everything has been created. */
  suspendedApp: Tenant;
  /** Creates a user with that role in an organisation, signed in. */
  join(organisationId: string, role: Role): Promise<Person>;
};

const ID = /\b[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;

/** Every id in a text. */
const idsIn = (text: string): string[] => text.match(ID) ?? [];

export async function makeNeighbourhood(posthorn: TestPosthorn): Promise<Neighbourhood> {
  const { deps, services } = posthorn;
  const { db } = deps;
  const placeOf = (id: string) => db.environment.findUniqueOrThrow({ where: { id }, include: { app: true } });
  const own = await db.app.findFirstOrThrow({ include: { environments: true } });
  const foreign = await insertOrganisation(deps);
  const newApp = async (): Promise<string> => {
    const { id } = await services.apps.operator.create({ name: mark('app') }, own.organisationId);
    return (await db.environment.findFirstOrThrow({ where: { appId: id, kind: 'live' } })).id;
  };
  const join = async (organisationId: string, role: Role): Promise<Person> => {
    const email = `${mark('mail')}@example.com`;
    const password = 'walnut ferry dusk orbit';
    const { link } = await services.members.invitations.createAsOperator(organisationId, { email, role });
    const sent = { code: codeOf(link), name: mark('person'), password };
    const { status } = await createBrowser(posthorn).request('POST', '/v1/invitations/accept', sent);
    if (status !== 200) throw new Error(`Accepting an invitation answered ${status}`);
    const { browser, me } = await signIn(posthorn, { email, password });
    return { browser, userId: me.user.id, email, password };
  };
  // Users of an organisation: one who is acted on and never acts, with a session, and an open invitation.
  const peopleOf = new Map<
    string,
    Promise<Pick<TenantIds, 'userId' | 'invitationId' | 'sessionId' | 'passkeyId' | 'viewId'>>
  >();
  const makePeople = async (organisationId: string) => {
    const { userId } = await join(organisationId, 'developer');
    for (const role of ['viewer', 'developer'] as const)
      await services.members.invitations.createAsOperator(organisationId, {
        email: `${mark('mail')}@example.com`,
        role,
      });
    const { id: invitationId } = await db.invitation.findFirstOrThrow({ where: { organisationId } });
    const { id: sessionId } = await db.session.findFirstOrThrow({ where: { userId } });
    const own = { passkeyId: await insertPasskey(posthorn, userId), viewId: await insertView(posthorn, userId) };
    return { userId, invitationId, sessionId, ...own };
  };
  const makeTenant = async (environmentId: string): Promise<Omit<Tenant, 'marks'>> => {
    const { appId, app, kind } = await placeOf(environmentId);
    const { organisationId } = app;
    const environment = kind === 'live' ? 'live' : 'test';
    const { key } = await services.apiKeys.operator.create({
      environment,
      appId,
      name: 'all',
      tier: 'enterprise',
      limits: { batchPerMinute: 100_000 },
    });
    const people = peopleOf.get(organisationId) ?? makePeople(organisationId);
    peopleOf.set(organisationId, people);
    const text = mark('mark');
    const ids = { ...(await seedResources(posthorn, key, text)), ...(await people) };
    await addMore(posthorn, key, ids);
    await db.organisation.update({ where: { id: organisationId }, data: { name: `organisation ${organisationId}` } });
    return { organisationId, appId, environment, environmentId, key, ids };
  };
  const environmentOf = (kind: EnvironmentKind): string =>
    own.environments.find((each) => each.kind === kind)?.id ?? '';
  const made = {
    victim: await makeTenant(environmentOf('live')),
    otherEnvironment: await makeTenant(environmentOf('test')),
    otherOrganisation: await makeTenant(foreign.live),
    otherApp: await makeTenant(await newApp()),
    suspendedApp: await makeTenant(await newApp()),
  };
  await services.apps.operator.setStatus(made.suspendedApp.appId, 'suspended');
  const marked = async (tenant: Omit<Tenant, 'marks'>): Promise<Tenant> => ({
    ...tenant,
    marks: await marksOf(posthorn, tenant),
  });
  return {
    victim: await marked(made.victim),
    otherEnvironment: await marked(made.otherEnvironment),
    otherOrganisation: await marked(made.otherOrganisation),
    otherApp: await marked(made.otherApp),
    suspendedApp: await marked(made.suspendedApp),
    join,
  };
}

/** Inserts a passkey of a user, without an authenticator. Returns its id. */
export async function insertPasskey({ deps }: TestPosthorn, userId: string): Promise<string> {
  const id = deps.newId('passkey');
  const keys = { credentialId: randomBytes(16), publicKey: randomBytes(77), counter: 0, transports: [] };
  const data = { id, userId, name: mark('mark'), ...keys, isBackupEligible: false, isBackedUp: false };
  await deps.db.passkey.create({ data: { ...data, createdAt: deps.clock() } });
  return id;
}

/** Inserts a view that a user has saved. Returns its id. */
export async function insertView({ deps }: TestPosthorn, userId: string): Promise<string> {
  const id = deps.newId('view');
  const view = { id, userId, page: 'deliveries', name: mark('mark'), search: { status: 'failed' } };
  await deps.db.view.create({ data: { ...view, createdAt: deps.clock(), updatedAt: deps.clock() } });
  return id;
}

/** Creates two or more of everything, so that each list has a second page, and deliveries of every status. */
async function addMore(posthorn: TestPosthorn, key: string, { channelId, deliveryId }: ResourceIds): Promise<void> {
  const { db } = posthorn.deps;
  await seedResources(posthorn, key);
  const publish = (fields: object): Promise<{ id: string }> =>
    make(posthorn, key, `/v1/channels/${channelId}/messages`, {
      eventType: 'order.created',
      payload: { n: 3 },
      ...fields,
    });
  await publish({ delay: 86_400_000 });
  const cancelled = await publish({ delay: 86_400_000 });
  await posthorn.request('POST', `/v1/messages/${cancelled.id}/cancel`, undefined, { key });
  for (const status of ['pending', 'delivered', 'retrying', 'failed'] as const) {
    const { id: messageId } = await publish({});
    const { id } = await db.delivery.findFirstOrThrow({ where: { messageId } });
    if (status === 'failed') await endAsDeadLetter(posthorn, id);
    else await db.delivery.update({ where: { id }, data: { status, ...(status === 'delivered' && { dueAt: null }) } });
  }
  await insertAttempt(posthorn, deliveryId, 2);
}

/** Returns ids and marks of tenants that a text contains but must not; those that the request itself has `sent` are ignored. */
export function foreignIn(
  { victim, otherApp, otherEnvironment, otherOrganisation, suspendedApp }: Neighbourhood,
  text: string,
  { own = [], sent = '' }: { own?: readonly Tenant[]; sent?: string } = {},
): string[] {
  const tenants = [victim, otherApp, otherEnvironment, otherOrganisation, suspendedApp];
  const sentIds = new Set(idsIn(sent));
  return [...candidatesIn(text)].filter(
    (each) =>
      !sentIds.has(each) && !own.some(({ marks }) => marks.has(each)) && tenants.some(({ marks }) => marks.has(each)),
  );
}

/**
 * Returns every part of a text in the format of an id or of a mark, also inside longer words. Searching for a thousand marks in each of
 * ten thousand responses costs more than the requests.
 */
const candidatesIn = (text: string): Set<string> =>
  new Set([ID, MARK].flatMap((form) => Array.from(text.matchAll(anywhere(form)), ([, found = '']) => found)));

/** The pattern without its word boundaries, and with overlapping matches. */
const anywhere = ({ source }: RegExp): RegExp => new RegExp(`(?=(${source.replaceAll(String.raw`\b`, '')}))`, 'g');

const mark = (kind: string): string => `${kind}x${randomBytes(8).toString('hex')}`;
const MARK = /\b(?:mark|mail|person|app)x[0-9a-f]{16}\b/g;

/** Returns the ids and marks in every row that names the environment, the app, the organisation, or one of its users. */
async function marksOf(
  { deps }: TestPosthorn,
  { organisationId, appId, environmentId, ids }: Omit<Tenant, 'marks'>,
): Promise<ReadonlySet<string>> {
  const { rows: tables } = await deps.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const of = [environmentId, appId, ids.userId, ids.deliveryId];
  const names = of.map((id) => `t.text LIKE '%${id}%'`).join(' OR ');
  const parts = tables.map(({ name }) => `SELECT to_jsonb(r)::text AS text FROM "${name}" r`);
  const whole = `SELECT text FROM (${parts.join(' UNION ALL ')}) t WHERE ${names}`;
  const inOrganisation = ['members', 'invitations'].map(
    (name) => `SELECT to_jsonb(r)::text AS text FROM ${name} r WHERE organisation_id = '${organisationId}'`,
  );
  const { rows } = await deps.pool.query<{ text: string }>(`${whole} UNION ALL ${inOrganisation.join(' UNION ALL ')}`);
  const texts = rows.map(({ text }) => text).join('\n');
  const marks = new Set([...idsIn(texts), ...(texts.match(MARK) ?? []), organisationId, appId, environmentId]);
  for (const each of marks)
    if (!candidatesIn(`x${each}y`).has(each)) throw new Error(`${each} would not be found in a text`);
  return marks;
}
