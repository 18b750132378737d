import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Marker } from '../../src/insight/markers/schema.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Shown = Omit<Marker, 'at' | 'createdAt'> & { at: string; createdAt: string };
type List = { data: Shown[] };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const marker = (body: object) => posthorn.request<Shown>('POST', '/v1/markers', body);
const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const namesOf = async (query: string): Promise<string[]> =>
  (await posthorn.request<List>('GET', `/v1/markers${query}`)).body.data.map(({ name }) => name);

describe('a marker', () => {
  test('is of this moment unless it says another one, and names who has made it', async () => {
    const before = Date.now();
    const { status, body } = await marker({ name: 'now' });
    expect(status).toBe(201);
    expect(Date.parse(body.at)).toBeGreaterThanOrEqual(before);
    expect(body.at).toBe(body.createdAt);
    expect(body.madeBy).toMatch(/^key_/);
    const past = await marker({ name: 'past', at: '2026-01-31T12:00:00+02:00' });
    // As far as a year and a day reach back.
    expect(past.status === 201 ? past.body.at : past.status).toBe(
      Date.now() - Date.parse('2026-01-31T10:00:00Z') < 366 * 86_400_000 ? '2026-01-31T10:00:00.000Z' : 400,
    );
  });

  test.each([
    ['at', { name: 'too old', at: ago(367 * 24) }],
    ['at', { name: 'to come', at: ago(-1) }],
    ['at', { name: 'no time', at: 'yesterday' }],
    ['name', { name: '' }],
    ['name', { name: 'a\u0000b' }],
  ])('refuses %s of %j', async (field, body) => {
    const { status, body: refusal } = await marker(body);
    expect([status, refusal]).toMatchObject([400, { error: { details: { field } } }]);
  });

  test('that is deleted is gone, once', async () => {
    const { body } = await marker({ name: 'mistake' });
    expect((await posthorn.request('DELETE', `/v1/markers/${body.id}`)).status).toBe(204);
    expect((await posthorn.request('DELETE', `/v1/markers/${body.id}`)).status).toBe(404);
  });
});

test('markers are listed by the times that they marker, whenever they were made, within a window', async () => {
  await posthorn.deps.db.marker.deleteMany();
  for (const hours of [2, 4, 1, 3]) await marker({ name: `h${hours}`, at: ago(hours) });
  expect(await namesOf('')).toEqual(['h1', 'h2', 'h3', 'h4']);
  expect(await namesOf(`?since=${ago(3.5)}&until=${ago(1.5)}`)).toEqual(['h2', 'h3']);
  expect(await namesOf(`?since=${ago(0.5)}`)).toEqual([]);
});

test('an environment keeps its latest 1,000', async () => {
  const { db, pool } = posthorn.deps;
  await db.marker.deleteMany();
  const { body: first } = await marker({ name: 'first' });
  await pool.query(
    `INSERT INTO markers (id, environment_id, name, at, made_by, created_at)
     SELECT 'mrk_' || lpad(n::text, 26, '0'), environment_id, 'old', at, made_by, created_at FROM markers, generate_series(1, 999) n WHERE id = $1`,
    [first.id],
  );
  const { body: last } = await marker({ name: 'last' });
  expect(await db.marker.count()).toBe(1_000);
  expect(await db.marker.count({ where: { id: { in: [first.id, last.id] } } })).toBe(2);
});
