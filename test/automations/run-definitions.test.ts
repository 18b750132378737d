import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

/** A run shows the definition that it keeps. */
let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

type Defined = { status: string; definitionVersion: number; definition: { trigger: unknown; steps: unknown[] } };
const get = (id: string): Promise<Defined> => calls.good('GET', `/v1/runs/${id}`);
const textOf = async (path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${posthorn.keys.live}` };
  return (await fetch(new URL(path, posthorn.url), { headers })).text();
};

test('a run shows the definition of its beginning when its workflow has another one, and the latest one after a retry under it', async () => {
  const trigger = { type: 'manual' };
  const steps = [{ id: 'sum', type: 'transform', config: { set: { twice: '{{ event.payload.total * 2 }}' } } }];
  const workflowId = await calls.activate(trigger, steps);
  const { id } = await calls.start(workflowId, { total: 'none' });
  expect((await calls.ended(id)).status).toBe('failed');
  const mended = [{ id: 'sum', type: 'transform', config: { set: { twice: 0 } } }];
  await calls.good('PATCH', `/v1/workflows/${workflowId}`, { steps: mended });
  expect(await get(id)).toMatchObject({ definitionVersion: 1, definition: { trigger, steps } });

  await calls.good('POST', `/v1/runs/${id}/retry`, { definition: 'latest' });
  expect((await calls.ended(id)).status).toBe('completed');
  expect(await get(id)).toMatchObject({ definitionVersion: 2, definition: { trigger, steps: mended } });

  await calls.good('DELETE', `/v1/workflows/${workflowId}`);
  expect((await get(id)).definition.steps).toEqual(mended);
  expect(await textOf(`/v1/runs?workflowId=${workflowId}`)).not.toContain('"definition"');
});

test('its numbers keep their digits, and secrets are names in it', async () => {
  await calls.good('POST', '/v1/secrets', { name: 'CRM_TOKEN', value: 'zebra-in-the-secret' });
  const written = `{"name":"test","status":"active","trigger":{"type":"manual"},"steps":[
    {"id":"note","type":"action","config":{"big":12345678901234567890,"price":12.50}},
    {"id":"crm","type":"action","config":{"action":"http","url":"https://crm.example.com/deals","if":"false",
      "headers":{"X-Token":"{{ secrets.CRM_TOKEN }}"}}}]}`;
  const { id: workflowId } = await calls.good<{ id: string }>('POST', '/v1/workflows', written);
  const { id } = await calls.start(workflowId);
  await calls.ended(id);
  const text = await textOf(`/v1/runs/${id}`);
  expect(text).toContain('"big":12345678901234567890,"price":12.50');
  expect(text).toContain('{{ secrets.CRM_TOKEN }}');
  expect(text).not.toContain('zebra');
});
