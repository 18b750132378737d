import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Organisation } from '../../src/identity/organisations/schema.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { joinAs, setUp } from '../support/make/people.ts';
import { asPerson, personScheme } from '../support/world/person-scheme.ts';

let posthorn: TestPosthorn;
let own: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, schemes: [personScheme] });
  own = (await posthorn.deps.db.app.findFirstOrThrow()).organisationId;
});
afterAll(() => posthorn.stop());

type Json = Record<keyof Organisation, string> & { error?: { code: string; details?: { field: string } } };
const ask = (method: string, id: string, body?: object, of = own): Promise<Answer<Json>> =>
  posthorn.request<Json>(method, `/v1/organisations/${id}`, body, { key: null, headers: asPerson(of) });

test('a person sees and renames the own organisation, and can send it back as it was read', async () => {
  const { status, body } = await ask('GET', own);
  expect([status, body.id]).toEqual([200, own]);
  const renamed = await ask('PATCH', own, { name: 'Shops' });
  expect(renamed.body).toEqual({ ...body, name: 'Shops', updatedAt: renamed.body.updatedAt });
  expect((await ask('PATCH', own, renamed.body)).body).toEqual(renamed.body);
  expect((await ask('GET', own)).body).toEqual(renamed.body);
  for (const [field, value] of Object.entries({ id: 'org_1', createdAt: new Date(0).toISOString(), name: 'a\nb' })) {
    const { status: refused, body: problem } = await ask('PATCH', own, { [field]: value });
    expect([refused, problem.error?.details?.field]).toEqual([400, field]);
  }
});

describe('further organisations', () => {
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_tries CASCADE');
  });
  type Listed = { data: Organisation[]; pagination: { cursor?: string; hasMore: boolean } };

  test('are made by one who is admin somewhere, who owns them; all others find nothing there', async () => {
    const { browser } = await setUp(posthorn);
    const made = await browser.request<Organisation>('POST', '/v1/organisations', { name: 'Shops' });
    expect([made.status, made.body.name]).toEqual([201, 'Shops']);
    const { id } = made.body;
    const { body } = await browser.request<SignedIn>('GET', '/v1/session');
    expect(body.organisations.find((each) => each.id === id)).toMatchObject({ role: 'owner', apps: [] });
    const nora = await joinAs(posthorn, browser, `/v1/organisations/${own}`, {
      role: 'admin',
      email: 'nora@example.com',
    });
    for (const [method, sent] of [['GET'], ['PATCH', { name: 'mine' }]] as const) {
      expect((await ask(method, id, sent)).status).toBe(404);
      const names = { headers: { 'posthorn-organisation': own } };
      expect((await nora.browser.request(method, `/v1/organisations/${id}`, sent, names)).status).toBe(404);
    }
    expect((await nora.browser.request('GET', `/v1/organisations/${id}/members`)).status).toBe(404);
    // Without a header the path names the organisation.
    for (const [who, status] of [
      [browser, 200],
      [nora.browser, 404],
    ] as const) {
      expect((await who.request('GET', `/v1/organisations/${id}`)).status).toBe(status);
      expect((await who.request('PATCH', `/v1/organisations/${id}`, { name: 'Shops' })).status).toBe(status);
    }
    expect((await browser.request('GET', '/v1/organisations/org_x')).status).toBe(404);
    const app = { name: 'First', slug: 'first' };
    const inIt = { headers: { 'posthorn-organisation': id } };
    expect((await browser.request('POST', '/v1/apps', app, inIt)).status).toBe(201);
  });

  test('are refused to one who is admin nowhere, and beyond a hundred', async () => {
    const { browser, me } = await setUp(posthorn);
    const nora = await joinAs(posthorn, browser, `/v1/organisations/${own}`, {
      role: 'developer',
      email: 'nora@example.com',
    });
    const before = await tableContents(posthorn.deps.pool);
    expect((await nora.browser.request('POST', '/v1/organisations', { name: 'x' })).status).toBe(403);
    expect((await browser.request('POST', '/v1/organisations', { name: 'a\nb' })).status).toBe(400);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    const { db, newId } = posthorn.deps;
    const more = Array.from({ length: 99 }, (_, index) => ({ id: newId('organisation'), name: `More ${index}` }));
    await db.organisation.createMany({ data: more });
    await db.member.createMany({
      data: more.map(({ id }) => ({ organisationId: id, userId: me.user.id, role: 'viewer' })),
    });
    expect((await browser.request('POST', '/v1/organisations', { name: 'x' })).status).toBe(409);
  });

  test('have members who are listed by their ids, and nobody of another organisation', async () => {
    const { browser, me } = await setUp(posthorn);
    const nora = await joinAs(posthorn, browser, `/v1/organisations/${own}`, {
      role: 'developer',
      email: 'nora@example.com',
    });
    const other = (await browser.request<Organisation>('POST', '/v1/organisations', { name: 'Other' })).body.id;
    type Members = { data: { userId: string }[]; pagination: { hasMore: boolean } };
    const list = async (of: string, query: string): Promise<string[]> => {
      const { status, body } = await browser.request<Members>('GET', `/v1/organisations/${of}/members?${query}`);
      expect(status).toBe(200);
      return body.data.map(({ userId }) => userId);
    };
    const [mine, hers] = [me.user.id, nora.me.user.id];
    expect(await list(own, `userIds=${hers}`)).toEqual([hers]);
    expect(await list(own, `userIds=${mine},${hers},${hers}`)).toEqual(await list(own, ''));
    expect(await list(own, `userIds=usr_0${'z'.repeat(25)}`)).toEqual([]);
    expect(await list(other, `userIds=${mine},${hers}`)).toEqual([mine]);
    const refused = await browser.request('GET', `/v1/organisations/${own}/members?userIds=${mine},`);
    expect(refused.status).toBe(400);
  });

  test('are listed newest first, page by page, those of the caller alone', async () => {
    const { browser } = await setUp(posthorn);
    const made: string[] = [];
    for (const name of ['One', 'Two'])
      made.unshift((await browser.request<Organisation>('POST', '/v1/organisations', { name })).body.id);
    const { id: foreign } = await posthorn.deps.db.organisation.create({
      data: { id: posthorn.deps.newId('organisation'), name: 'Foreign' },
    });
    const first = (await browser.request<Listed>('GET', '/v1/organisations?limit=2')).body;
    expect(first.data.map(({ id }) => id)).toEqual(made);
    const rest = await browser.request<Listed>('GET', `/v1/organisations?cursor=${first.pagination.cursor}`);
    expect(rest.body.data.map(({ id }) => id)).toEqual([own]);
    expect(JSON.stringify([first, rest.body])).not.toContain(foreign);
  });
});
