import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

test('a machine credential of a suspended app gets no token, and its tokens are refused, until the app is active', async () => {
  const credential = await client.register();
  const token = await client.getToken(credential);
  const { operator } = posthorn.services.apps;
  const { id, slug } = await operator.find(undefined);
  expect((await client.call(token)).status).toBe(200);

  await operator.setStatus(slug, 'suspended');
  const [called, asked] = [await client.call(token), await client.ask({ credential })];
  const stranger = await client.ask({ credential: { ...credential, clientSecret: 'ocs_wrong' } });
  await operator.setStatus(id, 'active');

  for (const refused of [called, asked])
    expect([refused.status, refused.body.error?.code, refused.body.error?.message]).toEqual([
      403,
      'FORBIDDEN',
      expect.stringContaining('suspended'),
    ]);
  // One who cannot prove to be the client does not learn of it.
  expect([stranger.status, stranger.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
  expect((await client.call(token)).status).toBe(200);
  expect((await client.ask({ credential })).status).toBe(200);
});

test('the audit log names a machine credential that changed something', async () => {
  const credential = await client.register();
  const token = await client.getToken(credential);
  const made = await client.call(token, { method: 'POST', path: '/v1/channels', body: { name: 'orders' } });
  const { body } = await posthorn.request<{ data: object[] }>(
    'GET',
    `/v1/audit?action=channel.created&actorId=${credential.id}`,
  );
  expect(body.data).toMatchObject([
    {
      action: 'channel.created',
      actor: { kind: 'machineCredential', id: credential.id },
      target: { id: made.body['id'] },
    },
  ]);
});
