import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const steps = [{ id: 'note', type: 'action' }];
const inputSchema = {
  type: 'object',
  properties: { order: { type: 'object', properties: { total: { type: 'number', minimum: 1 } }, required: ['total'] } },
  required: ['order'],
};

test('a run by hand needs a payload that fits the input schema, and nothing is begun by one that does not', async () => {
  const workflowId = await calls.activate({ type: 'manual', config: { inputSchema } }, steps);
  const start = (body: object) => posthorn.request('POST', `/v1/workflows/${workflowId}/runs`, body);
  const refused = (field: string) => ({
    status: 400,
    body: { error: { code: 'INVALID_REQUEST', details: { field } } },
  });
  expect(await start({})).toMatchObject(refused('payload.order'));
  expect(await start({ payload: { order: { total: 0 } } })).toMatchObject(refused('payload.order.total'));
  expect(await calls.runsOf(workflowId)).toEqual([]);
  expect((await start({ payload: { order: { total: 12.5 } } })).status).toBe(202);
  expect(await calls.runsOf(workflowId)).toHaveLength(1);
});

test('an input schema that is none is refused with the definition', async () => {
  const trigger = { type: 'manual', config: { inputSchema: { type: 'thing' } } };
  expect(await posthorn.request('POST', '/v1/workflows', { name: 'wrong', trigger, steps })).toMatchObject({
    status: 400,
    body: { error: { details: { field: 'trigger.config.inputSchema', reason: expect.stringContaining('type') } } },
  });
});
