import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { deliveryOf } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { codeBlocksOf, ROOT } from './code-blocks.ts';
import { replaceAll, runScript } from './shell.ts';

const blocks = codeBlocksOf('README.md');
const [start, receiver, firstDelivery, look, demo, tests] = blocks
  .filter(({ language }) => language === 'bash')
  .map(({ text }) => text.trim());

let posthorn: TestPosthorn;
let folder: string;
let receiving: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-readme-'));
  posthorn = await startPosthorn();
});
afterAll(async () => {
  receiving?.kill();
  await posthorn.stop();
  rmSync(folder, { recursive: true, force: true });
});

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

test('the commands that start, test and show the service are these', () => {
  expect([start, tests, demo]).toEqual(['npm ci && npm start', 'npm ci && npm test', 'npm run demo']);
  expect(blocks.filter(({ language }) => language === 'bash')).toHaveLength(6);
});

test('the first delivery, run as it is written, arrives and is shown as the page shows it', async () => {
  const port = await findFreePort();
  let received = '';
  receiving = spawn('bash', ['-c', `exec ${replaceAll(receiver ?? '', { 'listen(4000)': `listen(${port})` })}`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  receiving.stdout?.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  // By connecting, because listening there to look may just be in its way.
  await waitFor('the receiver to listen', () => isListening(port));

  const replaced = { 'http://localhost:3000': posthorn.url, 'localhost:4000': `localhost:${port}` };
  const options = { replaced, databaseUrl: posthorn.database.url, requestsPath: join(folder, 'requests') };
  const script = `${firstDelivery}
    until ${look} | grep '"status":"delivered"' >&2; do sleep 0.1; done
    ${look} >&2
    echo "$MESSAGE" "$(api "/subscriptions/$SUBSCRIPTION/secret")"`;
  const { exitCode, output, errors } = await runScript(script, options);

  expect({ exitCode, errors: exitCode === 0 ? '' : errors }).toEqual({ exitCode: 0, errors: '' });
  const [messageId = '', secret = ''] = output.trim().split(' ');
  await waitFor('the receiver to print it', () => received.includes(messageId));
  expect(received).toContain('"data":{"number": 1, "total": 12.50}');
  expect(secret).toMatch(/^\{"secret":"whsec_/);
  // Keys made by hand are of the environment test, which the live key of this test service does not see.
  expect(await deliveryOf(posthorn, messageId)).toBeUndefined();
  const shown = JSON.parse(errors.trim().split('\n').at(-1) ?? '') as { data: object[] };
  const example = JSON.parse(blocks.find(({ language }) => language === 'json')?.text ?? '') as { data: object[] };
  expect(Object.keys(shown)).toEqual(Object.keys(example));
  expect(Object.keys(shown.data[0] ?? {})).toEqual(Object.keys(example.data[0] ?? {}));
  expect(shown.data[0]).toMatchObject({ status: 'delivered', attempts: 1, response: { status: 200, body: 'thanks' } });
}, 270_000);
