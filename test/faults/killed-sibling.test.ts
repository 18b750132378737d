import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { brokenPromises, repeatsOf, untilSettled } from '../support/check/invariants.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { after, createScenes, evidenceOf } from '../support/make/scene.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { type ApiProcess, endAllProcesses, prepareService, startService } from '../support/service/processes.ts';
import { untilAllRun } from '../support/service/service-processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';

const NAMESPACE = 'killed-sibling';
const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-sibling-'));
let database: TestDatabase;
let connection: Connection;
let posthorn: ApiProcess;
let key: string;
const scenes = createScenes(() => ({ urlOf: () => posthorn.url, key }));

beforeAll(async () => {
  database = await createTestDatabase();
  const { address } = createTestTemporal();
  connection = await Connection.connect({ address });
  const prepared = await prepareService(database.url, address);
  ({ key } = prepared);
  const variables = { TEMPORAL_NAMESPACE: NAMESPACE, DATA_FOLDER: dataFolder, PROCESSES: '3' };
  posthorn = await startService({ ...prepared.settings, ...variables });
}, 200_000);
afterAll(async () => {
  await scenes.end();
  await endAllProcesses();
  await connection.close();
  await database.drop();
  rmSync(dataFolder, { recursive: true, force: true });
});

type Holder = { id: string; pid: number; expiresAt: Date; claims: number };

/** The service process that holds the most deliveries now. */
async function mostLaden(): Promise<Holder | undefined> {
  const { rows } = await database.pool.query<Holder>(
    `SELECT i.id, i.pid, i.expires_at AS "expiresAt", count(*)::int AS claims
     FROM deliveries d JOIN incarnations i ON i.id = d.holder WHERE d.due_at IS NOT NULL
     GROUP BY i.id ORDER BY claims DESC LIMIT 1`,
  );
  return rows[0];
}

test('kill -9 of one of three processes in a burst: the others take its claims over at once and go on; nothing is lost', async () => {
  const scene = await scenes.set(3, () => after(400));
  const { recorder, channelId } = scene;
  const publishing = recorder.keepPublishing(channelId, { publishers: 12, pauseMs: 50 });
  const killed = await waitFor('a process with claims in a burst', async () => {
    const laden = await mostLaden();
    return recorder.acceptedIds().length >= 150 && laden !== undefined && laden.claims >= 5 && laden;
  });
  process.kill(killed.pid, 'SIGKILL');
  const acceptedBefore = recorder.acceptedIds().length;

  const freed = await waitFor('its claims to be free', async () => {
    const { rows } = await database.pool.query<{ at: Date; leaseEndedAt: Date }>(
      `SELECT now() AS at, expires_at AS "leaseEndedAt" FROM incarnations
       WHERE id = $1 AND NOT EXISTS (SELECT FROM deliveries WHERE holder = $1)`,
      [killed.id],
    );
    return rows[0];
  });
  // Without the supervisor's word its lease would have run out by itself, and a look come behind it.
  expect(freed.at.getTime()).toBeLessThan(killed.expiresAt.getTime());
  expect(freed.leaseEndedAt.getTime()).toBeLessThan(killed.expiresAt.getTime());

  await waitFor('the others to go on', () => recorder.acceptedIds().length >= acceptedBefore + 50);
  const publications = await publishing.stop();
  await untilAllRun(posthorn.url, { but: [killed.pid] });
  const client = new Client({ connection, namespace: NAMESPACE });
  await untilSettled(database.pool, client, channelId);

  // Callers of the killed process lose their connection and are told nothing; nobody else notices.
  expect(publications.filter(({ outcome }) => outcome === 'refused')).toEqual([]);
  expect(await brokenPromises(evidenceOf(scene, database.pool))).toEqual([]);
  expect([...repeatsOf(scene.receiver.requests).values()].filter((times) => times > 1)).toEqual([]);
}, 400_000);
