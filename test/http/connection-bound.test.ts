import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startHttpServer } from '../../src/http/server.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';

/** Old mechanism: an API took every connection, until the process had no open file left for itself and Node ended it. */
let edge: Edge;
const sockets: Socket[] = [];
beforeEach(async () => {
  edge = await startEdge();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await edge.stop();
});

test('a connection beyond the bound is closed, those before it go on, and the operator is told once', async () => {
  let told = 0;
  const server = await startHttpServer(edge.app, {
    port: 0,
    host: '127.0.0.1',
    maxConnections: 2,
    onTooMany: () => {
      told += 1;
    },
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const [first] = [await open(), await open()];
  for (let further = 0; further < 3; further += 1) {
    const socket = await open();
    await once(socket.resume(), 'close');
  }

  first.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(first, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  expect(told).toBe(1);

  for (const socket of sockets.splice(0)) socket.destroy();
  await server.drain();
});
