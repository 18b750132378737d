import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claimDueRuns } from '../../src/automations/starting/due-store.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const WORKFLOWS = 30;
const AT_ONCE = 20;

let posthorn: TestPosthorn;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

test('an environment with one run does not wait for the many workflows of another one', async () => {
  const many = workflowCalls(posthorn);
  for (let n = 0; n < WORKFLOWS; n += 1)
    await many.start(await many.activate({ type: 'manual' }, [{ id: 'end', type: 'end' }]));
  const one = workflowCalls({
    request: (method, path, body, options) =>
      posthorn.request(method, path, body, { key: posthorn.keys.test, ...options }),
  });
  const { id } = await one.start(await one.activate({ type: 'manual' }, [{ id: 'end', type: 'end' }]));
  const claimed = await claimDueRuns(posthorn.deps.pool, { holder: 'inc_claims', room: 300, most: AT_ONCE });
  expect(claimed).toHaveLength(AT_ONCE);
  expect(claimed.map(({ runId }) => runId)).toContain(id);
  expect(new Set(claimed.map(({ environmentId }) => environmentId)).size).toBe(2);
});
