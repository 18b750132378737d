import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

type Versions = {
  versions: {
    version: number;
    triggerType?: string;
    stepCount: number;
    madeBy?: string;
    trigger?: object;
    steps?: object[];
  }[];
  hasMore: boolean;
};
type Refusal = { error: { code: string; details?: { field: string } } };
const step = (id: string): object => ({ id, type: 'action', config: {} });

async function make(body: object): Promise<string> {
  const answer = await posthorn.request<{ id: string }>('POST', '/v1/workflows', { name: 'changing', ...body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}
const change = async (id: string, body: object | string): Promise<void> =>
  expect((await posthorn.request('PATCH', `/v1/workflows/${id}`, body)).status).toBe(200);
const versionsOf = async (id: string, query = ''): Promise<Versions> =>
  (await posthorn.request<Versions>('GET', `/v1/workflows/${id}/versions${query}`)).body;
const textOf = async (path: string): Promise<string> =>
  (await fetch(`${posthorn.url}${path}`, { headers: { authorization: `Bearer ${posthorn.keys.live}` } })).text();

test('each definition that a workflow has had is listed, with who has made it, and is shown digit for digit', async () => {
  const id = await make({});
  const { body: key } = await posthorn.request<{ id: string; key: string }>('POST', '/v1/api-keys', { name: 'other' });
  const exact = '{"trigger":{"type":"manual"},"steps":[{"id":"a","type":"action","config":{"n":12.50}}]}';
  await posthorn.request('PATCH', `/v1/workflows/${id}`, exact, { key: key.key });
  await change(id, { name: 'renamed', steps: [step('a'), step('b')] });
  const { versions, hasMore } = await versionsOf(id);
  expect(hasMore).toBe(false);
  expect(versions.map(({ version, triggerType, stepCount }) => [version, triggerType, stepCount])).toEqual([
    [3, 'manual', 2],
    [2, 'manual', 1],
    [1, undefined, 0],
  ]);
  const [third, second, first] = versions.map(({ madeBy }) => madeBy);
  expect([second, third]).toEqual([key.id, first]);
  expect(first).toMatch(/^key_/);
  // One that is asked for has its definition, as its author wrote it.
  const shown = await textOf(`/v1/workflows/${id}/versions?version=2`);
  expect(shown).toContain('"steps":[{"id":"a","type":"action","config":{"n":12.50}}]');
  expect(JSON.parse(shown)).toMatchObject({ versions: [{ version: 2, trigger: { type: 'manual' } }], hasMore: false });
  for (const version of [...versions, ...(await versionsOf(id, '?version=1')).versions])
    expect([Object.hasOwn(version, 'trigger'), Object.hasOwn(version, 'steps')]).toEqual([false, false]);
});

test('a version is taken back by a change with its trigger and steps, as a new version', async () => {
  const id = await make({ trigger: { type: 'manual' }, steps: [step('a')] });
  await change(id, { steps: [step('b')] });
  const [{ trigger, steps } = {}] = (await versionsOf(id, '?version=1')).versions;
  await change(id, { trigger, steps });
  expect((await posthorn.request('GET', `/v1/workflows/${id}`)).body).toMatchObject({ steps: [step('a')] });
  expect((await versionsOf(id)).versions.map(({ version }) => version)).toEqual([3, 2, 1]);
});

test('versions come fifty at once, and the older ones below a number', async () => {
  const id = await make({ trigger: { type: 'manual' }, steps: [step('a')] });
  const { environmentId } = await posthorn.deps.db.workflow.findUniqueOrThrow({ where: { id } });
  const row = { workflowId: id, environmentId, trigger: '{"type":"manual"}', steps: '[]', createdAt: new Date() };
  await posthorn.deps.db.workflowVersion.createMany({
    data: Array.from({ length: 52 }, (_, at) => ({ ...row, version: at + 2 })),
  });
  const newest = await versionsOf(id);
  expect([newest.versions.length, newest.versions.at(-1)?.version, newest.hasMore]).toEqual([50, 4, true]);
  // One from before makers were noted names nobody.
  expect(newest.versions[0]).not.toHaveProperty('madeBy');
  const older = await versionsOf(id, '?beforeVersion=4');
  expect([older.versions.map(({ version }) => version), older.hasMore]).toEqual([[3, 2, 1], false]);
});

test('a version that the workflow never had is none of them, and a number that is none is refused', async () => {
  const id = await make({ trigger: { type: 'manual' }, steps: [step('a')] });
  expect(await versionsOf(id, '?version=2')).toEqual({ versions: [], hasMore: false });
  for (const name of ['version', 'beforeVersion'])
    for (const value of ['0', 'x', '-1', '2147483648', '']) {
      const path = `/v1/workflows/${id}/versions?${name}=${value}`;
      const { status, body } = await posthorn.request<Refusal>('GET', path);
      expect([path, status, body.error.details?.field]).toEqual([path, 400, name]);
    }
  const gone = await posthorn.request<Refusal>('GET', '/v1/workflows/wfl_00000000000000000000000000/versions');
  expect(gone.body.error.code).toBe('NOT_FOUND');
});
