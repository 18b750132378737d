import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { findFreePort } from '../../local/ports.ts';
import { endProcess, identifyProcess, isRunning, type ProcessIdentity } from '../../local/process-identity.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { brokenPromises, inFlight, repeatsOf, untilSettled } from '../support/check/invariants.ts';
import { makeDataFolder } from '../support/service/own-servers.ts';
import { type ApiProcess, endAllProcesses, startWholeProcess } from '../support/service/processes.ts';
import { after, evidenceOf, setScene } from '../support/make/scene.ts';
import { waitFor } from '../support/check/wait-for.ts';

type State = { databaseUrl: string; temporalAddress: string; pids: { postgres: number; temporal: number } };

const dataFolder = makeDataFolder();
const statePath = join(dataFolder, 'running.json');

afterAll(async () => {
  await endAllProcesses();
  // A failed test leaves the parts of a killed start behind.
  if (existsSync(statePath)) await Promise.all(partsOf(readState()).map((part) => endProcess(part, 'SIGKILL', 5_000)));
  rmSync(dataFolder, { recursive: true, force: true });
});

// `as`: start writes this file, and what is missing fails the test.
const readState = (): State => JSON.parse(readFileSync(statePath, 'utf8')) as State;

const partsOf = ({ pids }: State): ProcessIdentity[] =>
  [pids.postgres, pids.temporal].flatMap((pid) => identifyProcess(pid) ?? []);

test('posthorn start killed under load: the next start recovers, ends what was left and delivers; SIGINT leaves no process behind', async () => {
  const port = await findFreePort();
  const first = await startWholeProcess(dataFolder, port);
  // Two of three publishes are batches, of which the first keys may send ten a minute.
  const command = ['keys', 'create', '--env', 'live', '--tier', 'enterprise', '--batch-per-minute', '100000'];
  const key = (await runPosthorn(command, { DATA_FOLDER: dataFolder })).output.trim();
  const scene = await setScene({ urlOf: () => first.url, key }, 2, () => after(30));
  const { recorder, receiver, channelId } = scene;
  const publishing = recorder.keepPublishing(channelId, { publishers: 3, pauseMs: 50, sizeOf: (n) => 1 + (n % 3) });
  await waitFor('the first deliveries', () => receiver.requests.length >= 40);

  await first.end('SIGKILL');
  await publishing.stop();
  await waitFor('what was in the wire to be read', async () => (await receiver.connections()) === 0);
  const orphans = partsOf(readState());
  // The killed start's PostgreSQL is still there.
  const orphaned = new pg.Pool({ connectionString: readState().databaseUrl, max: 1 });
  const unanswered = await inFlight(evidenceOf(scene, orphaned));
  await orphaned.end();
  const second: ApiProcess = await startWholeProcess(dataFolder, port);
  const state = readState();
  const pool = new pg.Pool({ connectionString: state.databaseUrl, max: 3 });
  pool.on('error', () => undefined);
  const connection = await Connection.connect({ address: state.temporalAddress });
  const client = new Client({ connection });
  await recorder.publish(channelId);
  await untilSettled(pool, client, channelId);
  const faults = await brokenPromises(evidenceOf(scene, pool));
  const repeats = [...repeatsOf(receiver.requests)];
  const left = await inFlight(evidenceOf(scene, pool));
  await connection.close();
  await pool.end();
  const parts = partsOf(state);
  const ending = await second.end('SIGINT');
  await receiver.close();

  expect(orphans).toHaveLength(2);
  expect(orphans.filter(isRunning)).toEqual([]);
  expect(second.output()).not.toContain('svc_live_');
  expect(faults).toEqual([]);
  expect(repeats.filter(([pair, times]) => times > 1 || !unanswered.has(pair))).toEqual([]);
  expect([...left]).toEqual([]);
  expect(ending).toMatchObject({ exitCode: 0 });
  expect(parts).toHaveLength(2);
  expect(parts.filter(isRunning)).toEqual([]);
}, 400_000);
