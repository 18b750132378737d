import type { EventEmitter } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { createApps } from '../../src/identity/apps/service.ts';
import { createAudit } from '../../src/identity/audit/service.ts';
import { createApiKeys } from '../../src/identity/api-keys/service.ts';
import { machineCredentialsOf } from '../support/make/credential-services.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { PATIENT } from '../support/service/patience.ts';

/**
 * The command line names one thing and read all of them: an installation with 100,000 machine credentials loaded each with its secrets
 * to revoke one.
 */
const MANY = 60;
/** A thing, its environment, app and organisation, its secrets, an audit entry and its doer. */
const A_FEW = 25;

let posthorn: TestPosthorn;
let db: Database;
let rowsRead = 0;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  db = createDatabase(posthorn.database.url, {
    ...PATIENT,
    onPool: (pool) => {
      pool.on('connect', count);
    },
  });
});
afterAll(async () => {
  await db.$disconnect();
  await posthorn.stop();
});

/** Counts the rows of all answers of a connection. */
function count(client: PoolClient): void {
  // `as`: pg has this member and its types lack it; it emits each message of the protocol.
  const { connection } = client as PoolClient & { connection: EventEmitter };
  connection.on('dataRow', () => {
    rowsRead += 1;
  });
}

const readBy = async (work: () => Promise<unknown>): Promise<number> => {
  rowsRead = 0;
  await work();
  return rowsRead;
};

test('a command that names one key, one machine credential or one app reads a few rows of many', async () => {
  const deps = { ...posthorn.deps, db };
  const audit = createAudit(deps);
  const apiKeys = createApiKeys(deps, { audit });
  const credentials = machineCredentialsOf(deps);
  const apps = createApps(deps, { audit, makeSystemChannels: async () => undefined, forget: async () => undefined });
  const { id: appId, organisationId } = await db.app.findFirstOrThrow();
  const made = { appId, environment: 'live', name: 'one of many', tier: 'pro' } as const;
  const ids: Record<'key' | 'credential', string> = { key: '', credential: '' };
  for (let index = 0; index < MANY; index += 1) {
    ids.key = (await apiKeys.operator.create(made)).id;
    ids.credential = (await credentials.operator.create(made)).created.id;
    await apps.operator.create({ name: `App ${index}` }, organisationId);
  }
  expect(await readBy(() => credentials.operator.list())).toBeGreaterThanOrEqual(MANY);

  expect(await readBy(() => apiKeys.operator.revoke(ids.key))).toBeLessThan(A_FEW);
  expect(await readBy(() => credentials.operator.revoke(ids.credential))).toBeLessThan(A_FEW);
  expect(await readBy(() => apps.operator.find('app-7'))).toBeLessThan(A_FEW);
  expect(await readBy(() => apps.operator.setStatus('app-7', 'suspended'))).toBeLessThan(A_FEW);
  expect(await readBy(() => apps.operator.create({ name: 'One more' }, undefined))).toBeLessThan(A_FEW);
  const refused = (ref?: string) =>
    expect(apps.operator.find(ref)).rejects.toMatchObject({ message: expect.stringMatching(/ and others$/) });
  expect(await readBy(() => refused('nobody'))).toBeLessThan(A_FEW);
  expect(await readBy(() => refused())).toBeLessThan(A_FEW);
  expect((await db.machineCredential.findUniqueOrThrow({ where: { id: ids.credential } })).status).toBe('revoked');
  expect(await db.machineCredential.count({ where: { status: 'revoked' } })).toBe(1);
});
