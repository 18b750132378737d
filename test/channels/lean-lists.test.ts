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
test.each([
  ['/v1/channels', { name: 'orders', schema: SCHEMA, schemas: { 'a.b': SCHEMA } }, ['schema', 'schemas', 'schemaMode']],
  ['/v1/workflows', WORKFLOW, ['trigger', 'steps']],
])(
  'lists without definitions have the same rows, and each thing itself keeps its own: %s',
  async (path, body, names) => {
    const { id } = await make(path, body);
    await make(path, { name: 'plain' });
    const list = (query: string) => get<{ data: Row[] }>(`${path}?limit=50${query}`);
    const [whole, asAsked, lean] = [await list(''), await list('&definitions=true'), await list('&definitions=false')];
    expect(asAsked).toEqual(whole);
    expect(lean.data).toEqual(whole.data.map((row) => without(row, names)));
    const found = whole.data.find((row) => row.id === id);
    expect(names.filter((name) => found?.[name] === undefined)).toEqual([]);
    expect(await get(`${path}/${id}`)).toEqual(found);
    const { status } = await posthorn.request('GET', `${path}?definitions=no`);
    expect(status).toBe(400);
  },
);
