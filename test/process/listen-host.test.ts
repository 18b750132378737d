import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { endAllProcesses, prepareService, type Settings, startApiProcess } from '../support/service/processes.ts';
import { currentRun } from '../support/service/run.ts';

let database: TestDatabase;
let settings: Settings;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ settings } = await prepareService(database.url, currentRun().temporalAddress));
});
afterAll(async () => {
  await endAllProcesses();
  await database.drop();
});

const isListening = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  }).then((answer) => answer === true);

/** Addresses of this machine beside 127.0.0.1: all of 127.0.0.0/8 on Linux, and those of its interfaces. */
const OTHERS = [
  ...(process.platform === 'linux' ? ['127.0.0.2'] : []),
  ...Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  ),
];

test.each(['1', '2'])('the API and the metrics listen on that address alone, in %s processes', async (processes) => {
  const metricsPort = await findFreePort();
  const variables = { PROCESSES: processes, METRICS_PORT: String(metricsPort), LISTEN_HOST: '127.0.0.1' };
  const api = await startApiProcess({ ...settings, ...variables });
  for (const port of [api.port, metricsPort]) {
    expect(await isListening('127.0.0.1', port)).toBe(true);
    for (const other of OTHERS) expect([other, await isListening(other, port)]).toEqual([other, false]);
  }
  await api.end('SIGTERM');
});

test.each([
  ['10.255.255.254', 'LISTEN_HOST: 10.255.255.254 is no address of this machine; correct it'],
  ['machine.example', 'LISTEN_HOST must be an address of this machine, such as 127.0.0.1, or localhost'],
])('an API that is to listen on %s ends with one sentence', async (host, sentence) => {
  const variables = { ...settings, PORT: '0', PROCESSES: '1', LISTEN_HOST: host };
  const { exitCode, errors, output } = await runPosthorn(['api'], variables);
  expect(exitCode).toBe(1);
  expect(output + errors).toContain(sentence);
});
