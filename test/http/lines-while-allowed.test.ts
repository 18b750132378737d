import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { LineStream, linesOf } from '../../src/http/streaming/line-stream.ts';
import { routesOf } from '../../src/http/route/route.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';

let edge: Edge;
/** Lets the answer that is under way go on with its next line. */
let goOn = (): void => undefined;

async function* twoLines(): AsyncGenerator<string> {
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  yield '{"n":1}\n';
  await gate;
  yield '{"n":2}\n';
}

beforeAll(async () => {
  const route = routesOf<unknown>();
  const lines = route({
    method: 'GET',
    path: '/v1/lines',
    access: { scope: 'audit:read' },
    answers: { 200: linesOf(z.strictObject({ n: z.int() })) },
    handle: () => Promise.resolve(new LineStream(twoLines())),
  });
  edge = await startEdge({ routes: [lines], timings: { recheckMs: 0 } });
});
afterAll(async () => {
  goOn();
  await edge.stop();
});

/** Takes the first line, lets something happen, and takes the rest: undefined where the connection is cut. */
async function takeAround(key: string, happen: () => Promise<unknown>): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${edge.server.port}/v1/lines`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe('{"n":1}\n');
  await happen();
  goOn();
  let rest = '';
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      rest += Buffer.from(part.value).toString();
    return rest;
  } catch {
    expect(rest).toBe('');
    return undefined;
  }
}

// The old mechanism: the right was looked at once, before the first line, and an export of minutes went on after it was lost.
describe('an answer of many lines', () => {
  const newest = () => edge.database.db.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const edit = async (data: { status?: string; scopes?: string[]; expiresAt?: Date }): Promise<void> => {
    await edge.database.db.apiKey.update({ where: { id: (await newest()).id }, data });
    // A process that was told of nothing: a look of an answer that lasts believes what is up to 2 s old.
    edge.advance(2_000);
  };
  const suspend = async (status: string): Promise<void> => {
    await edge.database.db.app.updateMany({ data: { status } });
    edge.advance(2_000);
  };

  test.each<[string, () => Promise<void>]>([
    ['was revoked', () => edit({ status: 'revoked' })],
    ['has lost the scope', () => edit({ scopes: ['channels:read'] })],
    ['has expired', () => edit({ expiresAt: new Date(0) })],
    ['is of an app that was suspended', () => suspend('suspended')],
  ])('is cut before its next line when the key %s meanwhile', async (_, happen) => {
    const key = await edge.newKey();
    expect(await takeAround(key, happen)).toBeUndefined();
    await suspend('active');
  });

  test('goes on to its end for a key that has kept the right', async () => {
    const key = await edge.newKey();
    expect(await takeAround(key, () => edit({ scopes: ['audit:read'] }))).toBe('{"n":2}\n');
  });
});
