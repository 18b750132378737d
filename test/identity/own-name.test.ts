import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SignedIn, User } from '../../src/identity/sessions/schema.ts';
import { joinAs, OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Browser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let nora: { browser: Browser; me: SignedIn };
let organisation: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  owner = await setUp(posthorn);
  organisation = owner.me.organisations[0]?.id ?? '';
  const path = `/v1/organisations/${organisation}`;
  nora = await joinAs(posthorn, owner.browser, path, { role: 'viewer', email: 'nora@example.com' });
});
afterAll(() => posthorn.stop());

type Refusal = { error: { details?: { field: string; reason: string } } };
type Renamed = { actor: { id: string }; target: { id: string }; before: unknown; after: unknown };
const rename = <T = User>(body: unknown) => nora.browser.request<T>('PATCH', '/v1/user', body);
const log = async (): Promise<Renamed[]> => {
  const headers = { 'posthorn-organisation': organisation };
  const path = '/v1/audit?action=user.renamed';
  return (await owner.browser.request<{ data: Renamed[] }>('GET', path, undefined, { headers })).body.data;
};
const namesOfMembers = async (): Promise<(string | undefined)[]> => {
  const path = `/v1/organisations/${organisation}/members`;
  const { body } = await owner.browser.request<{ data: { email: string; name: string }[] }>('GET', path);
  return ['nora@example.com', OWNER.email].map((email) => body.data.find((each) => each.email === email)?.name);
};

test('a viewer, too, changes the own name, which members see and the audit log tells, and nobody else’s', async () => {
  const { id, email, name } = nora.me.user;
  const renamed = await rename({ name: 'Nora Ñandú' });
  const user = { id, email, name: 'Nora Ñandú' };
  expect([renamed.status, renamed.body]).toEqual([200, user]);
  expect((await nora.browser.request('GET', '/v1/user')).body).toEqual(user);
  expect((await nora.browser.request<SignedIn>('GET', '/v1/session')).body.user).toEqual(user);
  expect(await namesOfMembers()).toEqual(['Nora Ñandú', OWNER.name]);
  expect(await log()).toMatchObject([
    { actor: { id }, target: { id }, before: { name }, after: { name: 'Nora Ñandú' } },
  ]);
});

test('a person who is sent back as read is unchanged, and the audit log says nothing', async () => {
  const { body: read } = await nora.browser.request<User>('GET', '/v1/user');
  const entries = (await log()).length;
  const again = await rename(read);
  expect([again.status, again.body, (await log()).length]).toEqual([200, read, entries]);
});

test.each<[string, unknown, string]>([
  ['another address', { email: 'else@example.com' }, 'email'],
  ['the id of somebody else', { id: 'usr_01jdk0000000000000000000ab', name: 'Else' }, 'id'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of more than 200 characters', { name: 'n'.repeat(201) }, 'name'],
  ['a name with a control character', { name: 'No\u001bra' }, 'name'],
  ['no name', { name: null }, 'name'],
  ['nothing', {}, 'body'],
])('%s is refused, and nothing changes', async (_, body, field) => {
  const before = await posthorn.deps.db.user.findMany({ orderBy: { id: 'asc' } });
  const refused = await rename<Refusal>(body);
  expect([refused.status, refused.body.error.details?.field]).toEqual([400, field]);
  expect(await posthorn.deps.db.user.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
});

test('two names at once are told one behind the other', async () => {
  await Promise.all(['First', 'Second', 'Third'].map((name) => rename({ name })));
  const entries = (await log()).slice(0, 3).toReversed();
  expect(entries).toHaveLength(3);
  for (const [index, { before }] of entries.entries()) if (index > 0) expect(before).toEqual(entries[index - 1]?.after);
  expect((await rename({ name: 'Nora' })).status).toBe(200);
});
