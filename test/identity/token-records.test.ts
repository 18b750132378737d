import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seedResources } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

test('a dead letter shows that a machine credential has replayed it', async () => {
  const { deadLetterId } = await seedResources(posthorn, posthorn.keys.live);
  const credential = await client.register({ scopes: ['dlq:write'] });
  const token = await client.getToken(credential);
  const path = `/v1/dlq/${deadLetterId}`;
  expect((await client.call(token, { method: 'POST', path: `${path}/replay` })).status).toBe(202);
  // Held to the schema of its answer, as every one that a test gets.
  expect((await posthorn.request('GET', path)).body).toMatchObject({ status: 'replayed', replayedBy: credential.id });
});
