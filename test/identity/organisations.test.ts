import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Organisation } from '../../src/identity/organisations/schema.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
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

test('an organisation that is made for its first member is as good as missing to all others', async () => {
  const { organisations } = posthorn.services;
  const { id } = await posthorn.deps.db.$transaction((transaction) => organisations.createWithin(transaction, 'New'));
  for (const [method, body] of [['GET'], ['PATCH', { name: 'mine' }]] as const) {
    expect((await ask(method, id, body)).status).toBe(404);
    expect((await ask(method, id, body, id)).status).toBe(200);
  }
  expect((await ask('GET', id, undefined, id)).body.name).toBe('mine');
  const member = await organisations.findMany([own, id, posthorn.deps.newId('organisation')]);
  expect(member.map((each) => each.id)).toEqual([id, own]);
});
