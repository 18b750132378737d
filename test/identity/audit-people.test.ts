import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { make } from '../support/make/seed.ts';
import { actIn, joinAs, OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Browser } from '../support/world/browser.ts';

type Entry = {
  action: string;
  actor: { kind: string; id?: string };
  target: { id: string };
  environmentId?: string;
  from?: { address: string; userAgent?: string };
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
};
type Page = { data: Entry[] };

let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let organisationId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  owner = await setUp(posthorn);
  organisationId = owner.me.organisations[0]?.id ?? '';
});
afterAll(() => posthorn.stop());

/** Newest first, as a person sees them who names no more than the organisation. */
const log = async (browser: Browser, query = ''): Promise<Entry[]> => {
  const headers = {
    'posthorn-organisation': organisationId,
    'posthorn-app': undefined,
    'posthorn-environment': undefined,
  };
  const { status, body } = await browser.request<Page>('GET', `/v1/audit?limit=100${query}`, undefined, { headers });
  expect(status).toBe(200);
  return body.data;
};

test('tells of setup, signing in, members and what a person changes in an environment, with that person', async () => {
  const { id } = owner.me.user;
  const [setup] = await log(owner.browser, '&action=setup.finished');
  expect(setup).toMatchObject({ actor: { kind: 'person', id }, target: { id } });
  const again = await signIn(posthorn, OWNER);
  const [begun] = await log(owner.browser);
  expect(begun).toMatchObject({ action: 'session.begun', actor: { kind: 'person', id } });
  const path = `/v1/organisations/${organisationId}`;
  const nora = await joinAs(posthorn, owner.browser, path, { role: 'developer', email: 'nora@example.com' });
  expect((await log(owner.browser)).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['invitation.created', 'invitation.accepted']),
  );
  actIn(nora.browser, nora.me);
  const made = await nora.browser.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
  expect(made.status).toBe(201);
  const [channel] = await log(owner.browser, `&actorId=${nora.me.user.id}&action=channel.created`);
  expect(channel).toMatchObject({ target: { id: made.body.id }, environmentId: expect.stringMatching(/^env_/) });
  expect(JSON.stringify(await log(owner.browser))).not.toContain(OWNER.password);
  expect(again.me.user.id).toBe(id);
});

test('tells of each change of people where it came from, and of a role what it was', async () => {
  const path = `/v1/organisations/${organisationId}`;
  const headers = { 'user-agent': 'a browser of mine' };
  const max = await joinAs(posthorn, owner.browser, path, { role: 'viewer', email: 'max@example.com' });
  const member = `${path}/members/${max.me.user.id}`;
  await owner.browser.request('PATCH', member, { role: 'admin' }, { headers });
  await signIn(posthorn, { email: 'max@example.com', password: max.password });
  await owner.browser.request('POST', `${member}/password-reset`, undefined, { headers });
  await owner.browser.request('DELETE', member, undefined, { headers });
  const entries = await log(owner.browser);
  const people = entries.filter(({ action }) => /^(session|user|member|invitation|setup)\./.test(action));
  expect(people.length).toBeGreaterThan(8);
  for (const { action, from } of people)
    expect([action, from]).toEqual([
      action,
      { address: expect.stringContaining('127.0.0.1'), userAgent: expect.any(String) },
    ]);
  expect(entries.find(({ action }) => action === 'member.role_changed')).toMatchObject({
    before: { role: 'viewer' },
    after: { role: 'admin' },
    from: { userAgent: 'a browser of mine' },
  });
});

test('is shown to admins, in an organisation that they name, and not to developers', async () => {
  const path = `/v1/organisations/${organisationId}`;
  const dev = await joinAs(posthorn, owner.browser, path, { role: 'developer', email: 'dev@example.com' });
  const headers = { 'posthorn-organisation': organisationId };
  const refused = await dev.browser.request<{ error: { code: string } }>('GET', '/v1/audit', undefined, { headers });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
  const unnamed = await owner.browser.request<{ error: { details: { field: string } } }>('GET', '/v1/audit');
  expect([unnamed.status, unnamed.body.error.details.field]).toEqual([403, 'posthorn-organisation']);
});

test('a person who names an app and an environment sees the entries of that environment alone', async () => {
  await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'tests' });
  actIn(owner.browser, owner.me, 'test');
  const { body } = await owner.browser.request<Page>('GET', '/v1/audit?limit=100');
  expect(body.data.length).toBeGreaterThan(0);
  expect(new Set(body.data.map(({ environmentId }) => environmentId)).size).toBe(1);
});

test('a person makes a machine credential and an app, as the role allows', async () => {
  actIn(owner.browser, owner.me);
  await owner.browser.request('POST', '/v1/session/authenticate', { password: OWNER.password });
  const body = { name: 'till', scopes: ['messages:write'], tier: 'enterprise' };
  const made = await owner.browser.request<{ id: string }>('POST', '/v1/machine-credentials', body);
  expect(made.status).toBe(201);
  const headers = {
    'posthorn-organisation': organisationId,
    'posthorn-app': undefined,
    'posthorn-environment': undefined,
  };
  const app = await owner.browser.request<{ id: string }>('POST', '/v1/apps', { name: 'Second shop' }, { headers });
  expect(app.status).toBe(201);
  const actions = (await log(owner.browser)).slice(0, 3).map(({ action, target }) => [action, target.id]);
  expect(actions).toEqual(
    expect.arrayContaining([
      ['machine_credential.created', made.body.id],
      ['app.created', app.body.id],
    ]),
  );
});
