import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

type Row = Record<string, unknown> & { id: string };
const get = async <T>(path: string): Promise<T> => {
  const { status, body } = await posthorn.request<T>('GET', path);
  expect(status).toBe(200);
  return body;
};
const make = async (path: string, body: object): Promise<Row> => (await posthorn.request<Row>('POST', path, body)).body;

const without = (row: Row, names: readonly string[]): Row =>
  // `as`: the id is not among the names.
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as Row;

const SCHEMA = { type: 'object', description: 'x'.repeat(1_000) };
const WORKFLOW = {
  name: 'Tell the CRM',
  trigger: { type: 'manual' },
  steps: [{ id: 'note', type: 'action', config: { action: 'log', text: 'Told '.repeat(200) } }],
};

// A page of names had every schema and every step: up to 25 MiB for 100 rows.
test.each<[string, object, string[], Record<string, object>]>([
  ['/v1/channels', { name: 'orders', schema: SCHEMA, schemas: { 'a.b': SCHEMA } }, ['schema', 'schemas'], {}],
  [
    '/v1/workflows',
    WORKFLOW,
    ['trigger', 'steps'],
    { [WORKFLOW.name]: { triggerType: 'manual', stepCount: 1 }, plain: { stepCount: 0 } },
  ],
])(
  'lists without definitions have the same rows, and each resource itself keeps its own: %s',
  async (path, body, names, instead) => {
    const { id } = await make(path, body);
    await make(path, { name: 'plain' });
    const list = (query: string) => get<{ data: Row[] }>(`${path}?limit=50${query}`);
    const [whole, asAsked, lean] = [await list(''), await list('&definitions=true'), await list('&definitions=false')];
    expect(asAsked).toEqual(whole);
    const leanOf = (row: Row): object => ({ ...without(row, names), ...instead[String(row['name'])] });
    expect(lean.data).toEqual(whole.data.map(leanOf));
    const found = whole.data.find((row) => row.id === id);
    expect(names.filter((name) => found?.[name] === undefined)).toEqual([]);
    expect(await get(`${path}/${id}`)).toEqual(found);
    const { status } = await posthorn.request('GET', `${path}?definitions=no`);
    expect(status).toBe(400);
  },
);

test('a list without definitions has the number of steps of the current version', async () => {
  const { id } = await make('/v1/workflows', WORKFLOW);
  const counted = async (): Promise<unknown> =>
    (await get<{ data: Row[] }>('/v1/workflows?definitions=false')).data.find((row) => row.id === id)?.['stepCount'];
  expect([await counted(), await counted()]).toEqual([1, 1]);
  const [note] = WORKFLOW.steps;
  const steps = [
    { ...note, next: 'again' },
    { ...note, id: 'again' },
  ];
  const { status } = await posthorn.request('PATCH', `/v1/workflows/${id}`, { steps });
  expect([status, await counted()]).toEqual([200, 2]);
});

test('a channel with schemas only for event types says so in a list without definitions', async () => {
  const { id } = await make('/v1/channels', { name: 'typed', schemas: { 'a.b': SCHEMA }, schemaMode: 'warn' });
  const { data } = await get<{ data: Row[] }>('/v1/channels?definitions=false&limit=1');
  expect(data).toMatchObject([{ id, schemaMode: 'warn' }]);
});

// A hundred rows of the largest that a publisher may send were 26 MB, and the dashboard asked for them every three seconds.
test('a list of scheduled messages without payloads has the same rows, and each message itself keeps its own', async () => {
  const { id: channelId } = await make('/v1/channels', { name: 'later' });
  const content = { payload: { text: 'x'.repeat(200_000) }, metadata: { note: 'y'.repeat(10_000) } };
  const publish = (body: object) =>
    make(`/v1/channels/${channelId}/messages`, { eventType: 'a.b', delay: 3_600_000, ...body });
  const { id } = await publish(content);
  const { id: erasedId } = await publish({ payload: {} });
  const erased = await posthorn.request('DELETE', `/v1/messages/${erasedId}`);
  expect(erased.status).toBe(204);
  const list = (query: string) => get<{ data: Row[] }>(`/v1/channels/${channelId}/scheduled?limit=50${query}`);
  const [whole, asAsked, lean] = [await list(''), await list('&payloads=true'), await list('&payloads=false')];
  expect(asAsked).toEqual(whole);
  expect(lean.data).toEqual(whole.data.map((row) => without(row, ['payload', 'metadata'])));
  expect(whole.data.find((row) => row.id === id)).toMatchObject(content);
  expect(await get(`/v1/messages/${id}`)).toMatchObject(content);
  const { status } = await posthorn.request('GET', `/v1/channels/${channelId}/scheduled?payloads=no`);
  expect(status).toBe(400);
});

test('lists of runs without outputs have the same rows, and each run itself keeps its own', async () => {
  const { id: workflowId } = await make('/v1/workflows', { ...WORKFLOW, status: 'active' });
  const runs: Row[] = [];
  for (let n = 0; n < 2; n += 1) runs.push(await make(`/v1/workflows/${workflowId}/runs`, {}));
  const output = { text: 'x'.repeat(200_000) };
  await posthorn.deps.db.run.update({
    where: { id: runs[0]?.id ?? '' },
    data: { status: 'completed', output: JSON.stringify(output), finishedAt: new Date() },
  });
  for (const path of ['/v1/runs', `/v1/workflows/${workflowId}/runs`]) {
    const list = (query: string) => get<{ data: Row[] }>(`${path}?limit=50${query}`);
    const [whole, asAsked, lean] = [await list(''), await list('&outputs=true'), await list('&outputs=false')];
    expect(asAsked).toEqual(whole);
    expect(whole.data).toHaveLength(2);
    expect(whole.data.filter((row) => row['output'] !== undefined)).toHaveLength(1);
    expect(lean.data).toEqual(whole.data.map((row) => without(row, ['output'])));
    const { status } = await posthorn.request('GET', `${path}?outputs=no`);
    expect(status).toBe(400);
  }
  expect(await get(`/v1/runs/${runs[0]?.id}`)).toMatchObject({ output });
});

test('the audit log without changes has the same rows, and each entry itself keeps its own', async () => {
  // A text that looks like the member behind which the rest is left out.
  const name = ',"before":{';
  const { id } = await make('/v1/channels', {
    name,
    description: 'old',
    schema: { ...SCHEMA, title: 'é'.repeat(10_000) },
  });
  await posthorn.request('PATCH', `/v1/channels/${id}`, { description: 'new' }, { headers: { 'user-agent': name } });
  const { id: keyId } = await make('/v1/api-keys', { name });
  await posthorn.request('DELETE', `/v1/api-keys/${keyId}`);
  const list = (query: string) => get<{ data: Row[] }>(`/v1/audit?limit=100${query}`);
  const [whole, asAsked, lean] = [await list(''), await list('&changes=true'), await list('&changes=false')];
  expect(asAsked).toEqual(whole);
  // Some have neither, some have what is since, and some have both.
  const kinds = whole.data.map((row) => ['before', 'after'].filter((part) => row[part] !== undefined).join());
  expect(new Set(kinds)).toEqual(new Set(['', 'after', 'before,after']));
  expect(lean.data).toEqual(whole.data.map((row) => without(row, ['before', 'after'])));
  for (const row of whole.data) expect(await get(`/v1/audit/${row.id}`)).toEqual(row);
  const { status } = await posthorn.request('GET', '/v1/audit?changes=no');
  expect(status).toBe(400);
});

test('an audit entry is found only in its own environment', async () => {
  await make('/v1/channels', { name: 'told' });
  const [entry] = (await get<{ data: Row[] }>('/v1/audit?limit=1')).data;
  const path = `/v1/audit/${entry?.id}`;
  expect(await get(path)).toEqual(entry);
  for (const [asked, key] of [
    [path, posthorn.keys.test],
    ['/v1/audit/aud_01h00000000000000000000000', posthorn.keys.live],
    ['/v1/audit/nothing', posthorn.keys.live],
  ] as const)
    expect(await posthorn.request('GET', asked, undefined, { key })).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
});
