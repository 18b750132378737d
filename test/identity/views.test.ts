import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { joinAs, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Browser } from '../support/world/browser.ts';

type View = { id: string; page: string; name: string; search: Record<string, string>; updatedAt: string };
type Refusal = { error: { code: string; message: string; details?: { field: string } } };

let posthorn: TestPosthorn;
let browser: Browser;
let me: SignedIn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  await posthorn.deps.pool.query('TRUNCATE users, invitations CASCADE');
  ({ browser, me } = await setUp(posthorn));
});

const VIEW = { page: 'deliveries', name: 'Failed at the till', search: { status: 'failed', since: '24h' } };
const save = (body: object = VIEW, by = browser) => by.request<View & Refusal>('POST', '/v1/views', body);
const list = async (by = browser): Promise<View[]> =>
  (await by.request<{ data: View[] }>('GET', '/v1/views?limit=100')).body.data;

test('a view is saved, found again, changed and deleted, by its person alone', async () => {
  const { status, body: view } = await save();
  expect([status, view]).toEqual([
    201,
    { ...VIEW, id: expect.stringMatching(/^viw_/), createdAt: view.updatedAt, updatedAt: expect.any(String) },
  ]);
  expect(await list()).toEqual([view]);
  const { browser: other } = await joinAs(posthorn, browser, `/v1/organisations/${me.organisations[0]?.id}`, {
    role: 'viewer',
    email: 'other@example.com',
  });
  expect(await list(other)).toEqual([]);
  const path = `/v1/views/${view.id}`;
  for (const [method, sent] of [
    ['PATCH', { name: 'mine' }],
    ['DELETE', undefined],
  ] as const)
    expect((await other.request(method, path, sent)).status).toBe(404);

  const search = { status: 'retrying' };
  const changed = await browser.request<View>('PATCH', path, { ...view, name: 'Again', search });

  expect([changed.status, changed.body]).toEqual([
    200,
    { ...view, name: 'Again', search, updatedAt: expect.any(String) },
  ]);
  expect(await list()).toEqual([changed.body]);
  expect((await browser.request('DELETE', path)).status).toBe(204);
  expect((await browser.request('DELETE', path)).status).toBe(404);
  expect(await list()).toEqual([]);
});

test('a page has each name once, and another page or person may have it too', async () => {
  const { body: first } = await save();
  const { body: second } = await save({ ...VIEW, name: 'Other' });
  expect(await save()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  const renamed = await browser.request<Refusal>('PATCH', `/v1/views/${second.id}`, { name: first.name });
  expect([renamed.status, renamed.body.error.code]).toEqual([409, 'CONFLICT']);
  expect((await browser.request('PATCH', `/v1/views/${first.id}`, { name: first.name })).status).toBe(200);
  expect((await save({ ...VIEW, page: 'runs' })).status).toBe(201);
});

test('each list of the dashboard that has filters takes a view, and a name once', async () => {
  const pages = ['subscriptions', 'audit', 'inspected-requests', 'message-replays'];
  for (const page of pages) expect((await save({ ...VIEW, page })).body).toMatchObject({ page, name: VIEW.name });
  expect((await save({ ...VIEW, page: 'audit' })).body.error.code).toBe('CONFLICT');
  expect((await list()).map(({ page }) => page)).toEqual(pages.toReversed());
});

test('a person has 100 views at most, however many are saved at once', async () => {
  const { rows } = await posthorn.deps.pool.query<{ id: string }>('SELECT id FROM users');
  await posthorn.deps.pool.query(
    `INSERT INTO views (id, user_id, page, name, search, created_at, updated_at)
     SELECT posthorn_id('viw'), $1, 'runs', n::text, '{}', now(), now() FROM generate_series(1, 98) AS n`,
    [rows[0]?.id],
  );
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => save({ ...VIEW, name })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409]);
  expect(await list()).toHaveLength(100);
});

test.each([
  ['page', { page: 'members' }],
  ['name', { name: ' ' }],
  ['name', { name: 'a\u0007' }],
  ['name', { name: 'x'.repeat(61) }],
  ['search', { search: [] }],
  ['search["Bad-name"]', { search: { 'Bad-name': 'x' } }],
  ['search.status', { search: { status: '' } }],
  ['search.status', { search: { status: 'x'.repeat(501) } }],
  ['search', { search: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x'])) }],
])('a view with a wrong %s is refused: %j', async (field, wrong) => {
  const { status, body } = await save({ ...VIEW, ...wrong });
  expect([status, body.error.code, body.error.details?.field]).toEqual([400, 'INVALID_REQUEST', field]);
  expect(await list()).toEqual([]);
});
