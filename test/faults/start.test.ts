import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { findFreePort } from '../../src/embedded/ports.ts';
import { endProcess, identifyProcess, isRunning, type ProcessIdentity } from '../../src/embedded/process-identity.ts';
import { brokenPromises, inFlight, repeatsOf, untilSettled } from '../support/invariants.ts';
import { makeDataFolder } from '../support/own-servers.ts';
import { type ApiProcess, endAllProcesses, startWholeProcess } from '../support/processes.ts';
import { after, evidenceOf, setScene } from '../support/scene.ts';
import { waitFor } from '../support/wait-for.ts';

// A start on data that is there takes about 5 s on two idle cores (DESIGN: under 10 s). This bound is no measurement: it is
// for machines that do other things too, and says that the next start needs no one's help.
const READY_WITHIN_MS = 60_000;

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
  const key = /svc_live_\w+/.exec(first.output())?.[0] ?? 'no key was printed';
  const scene = await setScene({ urlOf: () => first.url, key }, 2, () => after(30));
  const { recorder, receiver, channelId } = scene;
  const publishing = recorder.keepPublishing(channelId, { publishers: 3, pauseMs: 50, sizeOf: (n) => 1 + (n % 3) });
  await waitFor('the first deliveries', () => receiver.requests.length >= 40);

  await first.end('SIGKILL');
  await publishing.stop();
  const orphans = partsOf(readState());
  const killedAt = performance.now();
  const second: ApiProcess = await startWholeProcess(dataFolder, port);
  const readyAfterMs = performance.now() - killedAt;
  const state = readState();
  const pool = new pg.Pool({ connectionString: state.databaseUrl, max: 3 });
  pool.on('error', () => undefined);
  const connection = await Connection.connect({ address: state.temporalAddress });
  const client = new Client({ connection });
  await recorder.publish(channelId);
  await untilSettled(pool, client, channelId, 60_000);
  const faults = await brokenPromises(evidenceOf(scene, pool));
  const repeats = [...repeatsOf(receiver.requests).values()];
  const left = await inFlight(evidenceOf(scene, pool));
  await connection.close();
  await pool.end();
  const parts = partsOf(state);
  const ending = await second.end('SIGINT');
  await receiver.close();

  expect(orphans).toHaveLength(2);
  expect(orphans.filter(isRunning)).toEqual([]);
  expect(readyAfterMs).toBeLessThan(READY_WITHIN_MS);
  expect(second.output()).not.toContain('svc_live_');
  expect(faults).toEqual([]);
  // Six starts at a time and two tries of each of the two subscriptions: no more can have been in flight.
  expect(repeats.reduce((sum, times) => sum + times, 0)).toBeLessThanOrEqual(10);
  expect([...left]).toEqual([]);
  expect(ending).toMatchObject({ exitCode: 0 });
  expect(parts).toHaveLength(2);
  expect(parts.filter(isRunning)).toEqual([]);
}, 150_000);
