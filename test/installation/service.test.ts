import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceState, SignInSettings } from '../../src/installation/schema.ts';
import { VERSION } from '../../src/kernel/words/version.ts';
import { migrationNames } from '../../src/db/migrations/migrations.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { joinAs, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Browser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let owner: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  owner = await setUp(posthorn);
});
afterAll(() => posthorn.stop());

/** Asks as this person, in an organisation. */
const ask = <T>(browser: Browser, path: string, organisationId: string) =>
  browser.request<T>('GET', path, undefined, { headers: { 'posthorn-organisation': organisationId } });
const first = (): string => owner.me.organisations[0]?.id ?? '';

test('an owner sees what runs here, with its workers, its backlog and its tables', async () => {
  // A worker has its lease once it is ready.
  await waitFor('the lease', async () => (await posthorn.deps.db.incarnation.count()) > 0);
  const { status, body } = await ask<ServiceState>(owner.browser, '/v1/service', first());
  expect(status).toBe(200);
  expect(body.versions).toMatchObject({ posthorn: VERSION, node: process.versions.node });
  expect(body.versions.postgresql).toMatch(/^\d+/);
  expect(body.workers[0]).toMatchObject({ role: 'worker', isAlive: true, pid: process.pid });
  expect(body.newestMigration).toBe(migrationNames().at(-1));
  expect(body.checks.map(({ name, state }) => [name, state])).toContainEqual(['database', 'up']);
  expect(body.tables.length).toBeGreaterThan(5);
  const sizes = body.tables.map(({ bytes }) => bytes);
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  expect(JSON.stringify(body)).not.toMatch(/postgres(ql)?:\/\//);
});

test('the ways of signing in are those of the settings', async () => {
  const { status, body } = await ask<SignInSettings>(owner.browser, '/v1/service/sign-in', first());
  expect([status, body]).toEqual([
    200,
    {
      password: { isForOwnersAlone: false },
      passkeys: { isPossible: true, host: 'localhost' },
      authenticatorApps: true,
      sessions: { idleMs: 43_200_000, lifeMs: 604_800_000, freshMs: 600_000, isOnHttpsAlone: false },
      mail: { isOn: false },
    },
  ]);
});

describe.each(['/v1/service', '/v1/service/sign-in'])('%s is refused', (path) => {
  test('to an owner of another organisation', async () => {
    const made = await owner.browser.request<{ id: string }>('POST', '/v1/organisations', { name: 'Another' });
    const { status, body } = await ask(owner.browser, path, made.body.id);
    expect([status, body]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
  });

  test('to a developer, and to a key', async () => {
    const sent = { role: 'developer' as const, email: `developer${path.length}@example.com` };
    const developer = await joinAs(posthorn, owner.browser, `/v1/organisations/${first()}`, sent);
    expect((await ask(developer.browser, path, first())).status).toBe(403);
    expect((await posthorn.request('GET', path)).status).toBe(403);
  });
});
