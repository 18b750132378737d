import { afterEach, expect, test } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { LineStream, linesOf } from '../../src/http/streaming/line-stream.ts';
import { routesOf } from '../../src/http/route/route.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';

/** No test lasts as long. */
const NEVER_MS = 3_600_000;
const LINE = `${JSON.stringify({ text: 'x'.repeat(1_000_000) })}\n`;

let edge: Edge | undefined;
let reader: Socket | undefined;
afterEach(async () => {
  reader?.destroy();
  await edge?.stop();
});

/** An answer without an end, whose reader takes nothing. `isOver`: the service reads no more for it. */
async function stallIn(timings: { heartbeatMs: number; recheckMs: number }) {
  let [sent, isOver] = [0, false];
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        sent += 1;
        yield LINE;
      }
    } finally {
      isOver = true;
    }
  }
  const lines = routesOf<unknown>()({
    method: 'GET',
    path: '/v1/lines',
    access: { scope: 'audit:read' },
    answers: { 200: linesOf(z.strictObject({ text: z.string() })) },
    handle: () => Promise.resolve(new LineStream(endless())),
  });
  const started = await startEdge({ routes: [lines], timings });
  edge = started;
  const key = await started.newKey();
  reader = connect(started.server.port, '127.0.0.1').pause();
  reader.on('error', () => undefined);
  reader.write(`GET /v1/lines HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
  await waitFor('the first line', () => sent > 0);
  return { edge: started, isOver: () => isOver };
}

// The old mechanism: nothing was looked at while the reader took nothing, and each such answer kept megabytes for as long as it liked.
test('an answer of many lines whose reader takes nothing is cut', async () => {
  const { isOver } = await stallIn({ heartbeatMs: 100, recheckMs: NEVER_MS });
  await waitFor('the end of the answer', isOver);
  expect(isOver()).toBe(true);
});

test('an answer whose reader takes nothing is cut when its key was revoked meanwhile', async () => {
  const { edge: here, isOver } = await stallIn({ heartbeatMs: NEVER_MS, recheckMs: 20 });
  const { id } = await here.database.db.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
  await here.database.db.apiKey.update({ where: { id }, data: { status: 'revoked' } });
  here.advance(2_000);
  await waitFor('the end of the answer', isOver);
  expect(isOver()).toBe(true);
});

// The old mechanism: a large page was kept for as long as its reader wanted, and the end of the service waited for it.
test('a large page whose reader takes nothing is cut', async () => {
  let response: ServerResponse | undefined;
  const note = (message: unknown): void => {
    // `as`: what Node tells on this channel.
    ({ response } = message as { response: ServerResponse });
  };
  const page = routesOf<unknown>()({
    method: 'GET',
    path: '/v1/page',
    access: { scope: 'audit:read' },
    answers: { 200: z.strictObject({ texts: z.array(z.string()) }) },
    handle: () => Promise.resolve({ texts: Array.from({ length: 30 }, () => 'x'.repeat(1_000_000)) }),
  });
  edge = await startEdge({ routes: [page], timings: { heartbeatMs: 100, recheckMs: NEVER_MS } });
  const key = await edge.newKey();
  subscribe('http.server.request.start', note);
  reader = connect(edge.server.port, '127.0.0.1').pause();
  reader.on('error', () => undefined);
  reader.write(`GET /v1/page HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
  await waitFor('the end of its connection', () => response?.closed === true);
  unsubscribe('http.server.request.start', note);
  expect(response?.writableFinished).toBe(false);
});
