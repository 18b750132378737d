import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { addPasskey, enrolTotp } from '../support/make/factors.ts';
import { codeOf, joinAs, setUpAnew } from '../support/make/people.ts';
import { insertView } from '../support/make/tenants.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

type Person = { browser: Browser; me: SignedIn; password: string };

let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let mara: Person;
let organisation: string;
/** Somebody in another organisation, with something in every table of people. */
let bystander: Person;
const foreign = { id: '', name: 'Foreign' };
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  foreign.id = posthorn.deps.newId('organisation');
  await posthorn.deps.db.organisation.create({ data: foreign });
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  ({ owner, organisation } = await setUpAnew(posthorn));
  mara = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'mara@example.com' });
  bystander = await joinAs(posthorn, owner.browser, organisation, { role: 'owner', email: 'ben@example.com' });
  await giveEverything();
});

async function giveEverything(): Promise<void> {
  const { db, newId, clock } = posthorn.deps;
  const userId = bystander.me.user.id;
  await enrolTotp(bystander.browser);
  await addPasskey(bystander.browser);
  await insertView(posthorn, userId);
  const { email, password } = { email: 'ben@example.com', password: bystander.password };
  await createBrowser(posthorn).request('POST', '/v1/sign-in', { email, password });
  await db.member.updateMany({ where: { userId }, data: { organisationId: foreign.id } });
  const times = { createdAt: clock(), expiresAt: new Date(clock().getTime() + 3_600_000) };
  const hash = () => new Uint8Array(randomBytes(32));
  await db.knownDevice.create({ data: { hash: hash(), userId, ...times } });
  await db.oneTimeCode.create({ data: { hash: hash(), purpose: 'password-reset', userId, ...times } });
  await db.identity.create({ data: { issuer: 'https://idp.example', subject: 'ben', userId, createdAt: clock() } });
  const invitation = { organisationId: foreign.id, email: 'friend@example.com', role: 'viewer', ...times };
  await db.invitation.create({
    data: { ...invitation, id: newId('invitation'), hash: hash(), invitedBy: mara.me.user.id },
  });
}

/** Rows by table: of the bystander, and invitations to the bystander's organisation, one of which Mara has made. */
async function thingsOfOthers(): Promise<Record<string, unknown[]>> {
  const { pool } = posthorn.deps;
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'user_id' ORDER BY 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const query = `SELECT to_jsonb(t) AS row FROM "${name}" t WHERE user_id = $1 ORDER BY 1`;
    found[name] = (await pool.query(query, [bystander.me.user.id])).rows;
  }
  found['invitations'] = (await pool.query('SELECT id FROM invitations WHERE organisation_id = $1', [foreign.id])).rows;
  return found;
}

const path = () => `${organisation}/members/${mara.me.user.id}`;
const status = async (browser: Browser, method: string, at: string, body?: unknown) =>
  (await browser.request(method, at, body)).status;
const resetLink = async () => {
  const { body } = await owner.browser.request<{ link: string }>('POST', `${path()}/password-reset`);
  return codeOf(body.link);
};
const password = 'four quiet harbours';
const invited = { email: 'friend@example.com', role: 'viewer' };

test.each<[string, number, () => Promise<number>]>([
  [
    'another password',
    200,
    () => status(mara.browser, 'POST', '/v1/user/password', { password: mara.password, newPassword: password }),
  ],
  ['a link that resets a password', 201, () => status(owner.browser, 'POST', `${path()}/password-reset`)],
  [
    'the use of one',
    204,
    async () => status(createBrowser(posthorn), 'POST', '/v1/password-reset', { code: await resetLink(), password }),
  ],
  ['the end of all other sessions', 200, () => status(mara.browser, 'POST', '/v1/sessions/revoke-others')],
  ['a factor', 200, async () => ((await enrolTotp(mara.browser)).recoveryCodes.length === 10 ? 200 : 0)],
  [
    'the end of a factor',
    204,
    async () => {
      await enrolTotp(mara.browser);
      return status(mara.browser, 'DELETE', '/v1/user/totp');
    },
  ],
  [
    'the end of all factors',
    204,
    async () => {
      await enrolTotp(mara.browser);
      await addPasskey(mara.browser);
      return status(owner.browser, 'DELETE', `${path()}/factors`);
    },
  ],
  ['a lower role', 200, () => status(owner.browser, 'PATCH', path(), { role: 'viewer' })],
  ['the end of a membership', 204, () => status(owner.browser, 'DELETE', path())],
  ['an invitation of the same person', 201, () => status(mara.browser, 'POST', `${organisation}/invitations`, invited)],
])('%s changes nothing of somebody else', async (_, wanted, act) => {
  const before = await thingsOfOthers();
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  expect(await act()).toBe(wanted);
  expect(await thingsOfOthers()).toEqual(before);
});

test('an identity that is forgotten is that of one person', async () => {
  const { db, clock } = posthorn.deps;
  const mine = { issuer: 'https://idp.example', subject: 'mara', userId: mara.me.user.id, createdAt: clock() };
  await db.identity.create({ data: mine });
  const before = await thingsOfOthers();
  await posthorn.services.members.operator.forgetIdentity('mara@example.com');
  expect(await thingsOfOthers()).toEqual(before);
  expect(await db.identity.count()).toBe(1);
});
