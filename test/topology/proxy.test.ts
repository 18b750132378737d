import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { findCaddy } from './programs.ts';
import { startProxy } from './proxy.ts';

const AT_ONCE = 40;
const ROUNDS = 25;

// Caddy 2.10 gave the buffer of a request back when the first API had refused the connection, and read from it for the second one. The
// buffer was another request's by then: a caller's message was stored under the key of another one.
test('a request that one API has refused comes to the other one with its own body, beside many others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-proxy-'));
  const echo = createServer((request, response) => request.pipe(response.writeHead(200)));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  // `as`: a TCP server's address is an object.
  const { port: living } = echo.address() as AddressInfo;
  const [port, dead] = [await findFreePort('everywhere'), await findFreePort('everywhere')];
  const proxy = await startProxy(
    findCaddy(() => undefined),
    { port, apis: [dead, living], folder },
  );
  try {
    const wrong: string[] = [];
    const ask = async (round: number, n: number): Promise<void> => {
      const body = JSON.stringify({ mark: `${round}-${n}`, filling: 'x'.repeat(n * 10) });
      const answer = await fetch(`http://127.0.0.1:${port}/v1/messages`, { method: 'POST', body });
      const text = await answer.text();
      if (text !== body) wrong.push(`${answer.status} ${text.slice(0, 60)} for ${body.slice(0, 20)}`);
    };
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(round, n)));
    expect(wrong).toEqual([]);
  } finally {
    await proxy.end('SIGTERM');
    echo.closeAllConnections();
    echo.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
