import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { childEnvironment } from '../../src/config.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';

let client: PackedClient;
beforeAll(async () => {
  client = await installClient();
});
afterAll(() => client.remove());

/** A server that begins every body and ends none, and a client of it in a program whose garbage is collected all the time. */
const PROGRAM = `
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  import { Posthorn } from '@posthorn/client';

  const closed = [];
  const server = createServer((request, response) => {
    const isStream = request.url.endsWith('/stream');
    closed.push(once(response, 'close'));
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.write(isStream ? 'id: 1\\ndata: {"id":"msg_1"}\\n\\n' : '{"id":');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const posthorn = new Posthorn({ baseUrl: 'http://127.0.0.1:' + server.address().port, retries: { max: 0 } });

  const collecting = setInterval(globalThis.gc, 50);
  const collections = async (count) => {
    for (let done = 0; done < count; done += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      globalThis.gc();
    }
  };
  const ends = {};
  ends.late = await posthorn.channels.get('chn_1', { timeoutMs: 1_000 }).catch((error) => error.name);
  const ending = new AbortController();
  const given = posthorn.channels.get('chn_1', { signal: ending.signal }).catch((reason) => reason);
  const stopping = new AbortController();
  const seen = [];
  const streaming = (async () => {
    for await (const { message } of posthorn.messages.stream('chn_1', {}, { signal: stopping.signal })) seen.push(message.id);
  })();
  while (seen.length === 0) await collections(1);
  await collections(10);
  ending.abort('enough');
  stopping.abort();
  ends.given = await given;
  await streaming;
  ends.seen = seen;
  await Promise.all(closed);
  ends.closed = closed.length;
  clearInterval(collecting);
  server.close();
  console.log(JSON.stringify(ends));
`;

test('a body that is read through collections of garbage ends in time and with its signal, and so does its connection', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', PROGRAM],
    { cwd: client.app, env: childEnvironment({}), timeout: 100_000 },
  );
  expect(JSON.parse(stdout)).toEqual({ late: 'TimeoutError', given: 'enough', seen: ['msg_1'], closed: 3 });
});
