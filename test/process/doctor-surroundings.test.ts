import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import {
  checkDisk,
  checkOpenFiles,
  checkPort,
  checkProxyHops,
  checkPublicBaseUrl,
  checkRedis,
} from '../../src/process/doctor/surroundings.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { describeWithRedis, startRedis } from '../support/service/redis.ts';

let posthorn: TestPosthorn;
let closedPort: number;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  closedPort = await findFreePort();
});
afterAll(() => posthorn.stop());

const fault = (says: string | RegExp) => ({ verdict: 'fail', says: expect.stringMatching(says) });
const warning = (says: string | RegExp) => ({ verdict: 'warn', says: expect.stringMatching(says) });
const inOrder = { verdict: 'ok' };

describe('the surroundings', () => {
  test('a public address is warned about where it is in the clear or nobody answers', async () => {
    const at = (publicBaseUrl: string) => checkPublicBaseUrl({ publicBaseUrl });
    expect(await at(posthorn.url)).toMatchObject(inOrder);
    expect(await at('http://posthorn.example.com')).toMatchObject(warning(/in the clear; put TLS in front$/));
    expect(await at(`http://127.0.0.1:${closedPort}`)).toMatchObject(
      warning(/^PUBLIC_BASE_URL: Posthorn does not answer/),
    );
  });

  test('a port that another program has is at fault, and one that is free or Posthorn has is in order', async () => {
    const other = createServer((socket) => socket.end());
    other.listen(0);
    await once(other, 'listening');
    // `as`: a TCP server's address is an object.
    const { port } = other.address() as { port: number };
    try {
      expect(await checkPort({ port })).toMatchObject(fault(/^PORT: another program listens on \d+/));
      expect(await checkPort({ port: 0 })).toMatchObject(inOrder);
      expect(await checkPort({ port: Number(new URL(posthorn.url).port) })).toMatchObject(inOrder);
    } finally {
      other.close();
    }
  });

  test('proxies that do not fit the public address are warned about', () => {
    const at = (publicBaseUrl: string, trustedProxyHops: number) => checkProxyHops({ publicBaseUrl, trustedProxyHops });
    expect(at('https://posthorn.example.com', 1)).toMatchObject(inOrder);
    expect(at('https://posthorn.example.com', 0)).toMatchObject(warning(/all callers count as one address/));
    expect(at('http://localhost:3000', 0)).toMatchObject(inOrder);
    expect(at('http://localhost:3000', 2)).toMatchObject(warning(/every caller chooses the address/));
  });

  test('a disk that is almost full, and few open files, are named', async () => {
    const withRoom = (gib: number) => checkDisk('.data', async () => gib * 1024 ** 3);
    expect([await withRoom(20), await withRoom(3), await withRoom(0.5)]).toMatchObject([
      inOrder,
      warning(/^3\.0 GiB are free/),
      fault(/stops on a full disk$/),
    ]);
    expect((await checkDisk('/nowhere')).says).toMatch(/GiB are free/);
    expect([checkOpenFiles(10_000), checkOpenFiles(1_024)]).toMatchObject([inOrder, warning(/set ulimit -n to 4096/)]);
  });

  test('a Redis that is not there is at fault', async () => {
    expect(await checkRedis(`redis://:secret@127.0.0.1:${closedPort}`)).toMatchObject(
      fault(/^REDIS_URL: Redis at 127\.0\.0\.1:\d+ cannot be used: nothing listens/),
    );
  });
});

describeWithRedis('a Redis', () => {
  test('that takes counts is in order', async () => {
    const redis = await startRedis();
    try {
      expect(await checkRedis(redis.url)).toMatchObject(inOrder);
    } finally {
      await redis.kill();
    }
  });
});
