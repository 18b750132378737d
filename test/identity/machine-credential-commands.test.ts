import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTokenClient } from '../support/world/token-client.ts';

const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
let posthorn: TestPosthorn;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, variables: { ENCRYPTION_KEYS } });
});
afterAll(() => posthorn.stop());

const run = (parameters: string[], keys = ENCRYPTION_KEYS) =>
  runPosthorn(['machine-credentials', ...parameters], {
    DATABASE_URL: posthorn.database.url,
    ENCRYPTION_KEYS: keys,
    DATA_FOLDER: '/nonexistent',
  });
/** Organisation and app of every test. */
const place = async (): Promise<string> => {
  const { name, organisation } = await posthorn.deps.db.app.findFirstOrThrow({ include: { organisation: true } });
  return `environment live of the app ${name} of ${organisation.name}`;
};

test('create, list and revoke say which app and environment they act on; what was made gets tokens until it is revoked', async () => {
  const made = await run(['create', '--env', 'live', '--name', 'Till', '--scopes', 'messages:write,dlq:read']);
  expect([made.exitCode, made.errors]).toEqual([0, '']);
  expect(made.output).toContain(await place());
  const id = /^client_id (oac_\w{26})$/m.exec(made.output)?.[1] ?? '';
  const clientSecret = /^secret {4}(ocs_[\w-]{43})$/m.exec(made.output)?.[1] ?? '';
  const answer = await client.ask({ credential: { id, clientSecret } });
  expect([answer.status, answer.body['scope']]).toEqual([200, 'messages:write dlq:read']);

  const listed = await run(['list', '--env', 'live'], '');
  expect(listed.output).toMatch(
    new RegExp(`^${id} +\\S.* live +pro +active +ocs_…${clientSecret.slice(-4)} +Till$`, 'm'),
  );
  expect(listed.output).not.toContain(clientSecret);
  expect((await run(['list', '--env', 'test'], '')).output).not.toContain(id);
  const { slug } = await posthorn.deps.db.app.findFirstOrThrow();
  expect((await run(['list', '--app', slug], '')).output).toContain(id);
  const unknown = await run(['list', '--app', 'unknown'], '');
  expect([unknown.exitCode, unknown.errors]).toEqual([1, expect.stringContaining('unknown')]);
  const json = JSON.parse((await run(['list', '--json'], '')).output) as { id: string }[];
  expect(json.map((each) => each.id)).toEqual([id]);

  const revoked = await run(['revoke', id], '');
  expect([revoked.exitCode, revoked.output]).toEqual([0, `Revoked ${id} in the ${await place()}\n`]);
  expect((await client.ask({ credential: { id, clientSecret } })).status).toBe(401);
}, 180_000);

test('create refuses keys that the database does not know, and revoke an id that it does not have', async () => {
  const wrong = await run(['create', '--env', 'live'], `k1:${randomBytes(32).toString('base64')}`);
  expect([wrong.exitCode, wrong.errors]).toEqual([1, expect.stringContaining('The encryption key k1 has other bytes')]);
  const none = await run(['create', '--env', 'live'], '');
  expect([none.exitCode, none.errors]).toEqual([1, expect.stringContaining('ENCRYPTION_KEYS must be set')]);
  for (const id of ['oac_x', 'key_x']) {
    const missing = await run(['revoke', id], '');
    expect([missing.exitCode, missing.errors]).toEqual([
      1,
      expect.stringContaining(`There is no machine credential ${id}`),
    ]);
  }
  expect(await posthorn.deps.db.machineCredential.count({ where: { status: 'active' } })).toBe(0);
}, 180_000);
