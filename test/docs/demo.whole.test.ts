import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectedOf, judgeArrivals, planOf } from '../../demo/expected.ts';
import { isRight, percentile, toTable } from '../../demo/figures.ts';
import { loadPayloads } from '../../demo/payloads.ts';
import { waitForCount } from '../../demo/progress.ts';
import type { Arrivals } from '../../demo/receiver.ts';
import { isLoopback } from '../../demo/shop/bulk-rows.ts';
import { createEvents, createRandom } from '../../demo/shop/events.ts';
import { childEnvironment } from '../../src/platform/config/config.ts';
import type { PageJson } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { ROOT } from './code-blocks.ts';

type Ending = { exitCode: number; output: string; errors: string };

/** Runs what `npm run demo` runs, to its end. */
async function runDemo(variables: Record<string, string>, options: readonly string[] = []): Promise<Ending> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['demo/main.ts', ...options], {
      cwd: ROOT,
      env: childEnvironment(variables),
    });
    return { exitCode: 0, output: stdout, errors: stderr };
  } catch (failure) {
    // As promisify(execFile) rejects when a program ends with another code than 0.
    const { code, stdout, stderr } = failure as { code: number; stdout: string; stderr: string };
    return { exitCode: code, output: stdout, errors: stderr };
  }
}

describe('the demo against a running service', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn();
  });
  afterAll(() => posthorn.stop());

  test('publishes every payload with a key of its own, loses and doubles none, and takes channel and key away again', async () => {
    const { exitCode, output, errors } = await runDemo({
      POSTHORN_URL: posthorn.url,
      POSTHORN_KEY: '',
      DATABASE_URL: posthorn.database.url,
    });

    expect({ exitCode, errors, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, errors: '', output: '' });
    const figures = new Map(
      [...output.matchAll(/^ {2}(\S.*?) +(\d+)$/gm)].map((match) => [match[1] ?? '', Number(match[2])]),
    );
    expect(figures.get('published')).toBe(loadPayloads().length);
    for (const name of ['retried', 'dead-lettered', 'replayed']) expect(figures.get(name)).toBeGreaterThan(10);
    expect([figures.get('runs of the workflow'), figures.get('requests of its steps')]).toEqual([58, 8]);
    expect([figures.get('lost'), figures.get('doubled')]).toEqual([0, 0]);
    expect(figures.get('p50 ms from publish to arrival, one at a time')).toBeGreaterThanOrEqual(0);
    expect(output).toContain('Every figure is what it must be');
    // The environment's own channel for service events stays.
    const { body } = await posthorn.request<PageJson<{ name: string }>>('GET', '/v1/channels', undefined, {
      key: posthorn.keys.test,
    });
    expect(body.data.filter(({ name }) => name !== 'posthorn.system')).toEqual([]);
    // Regression: its key had the 10 batches a minute of every key, so that it could wait a minute for its own batches.
    const made = await posthorn.deps.db.apiKey.findFirstOrThrow({ where: { name: 'Demo' } });
    expect(made).toMatchObject({ batchPerMinute: 1_000, revokedAt: expect.any(Date) });
  }, 300_000);

  test('says what is wrong and fails when its key is refused', async () => {
    const { exitCode, errors } = await runDemo({ POSTHORN_URL: posthorn.url, POSTHORN_KEY: 'svc_test_wrong' });

    expect(exitCode).toBe(1);
    expect(errors).toContain('demo: UNAUTHORIZED: ');
  });
});

describe('a shop that stays', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn();
  });
  afterAll(() => posthorn.stop());
  const run = (...options: string[]): Promise<Ending> =>
    runDemo({ POSTHORN_URL: posthorn.url, POSTHORN_KEY: posthorn.keys.live }, options);
  const list = async <T>(path: string): Promise<T[]> =>
    (await posthorn.request<PageJson<T>>('GET', `${path}?limit=100`)).body.data;
  const names = async (path: string): Promise<string[]> =>
    (await list<{ name: string }>(path)).map(({ name }) => name).filter((name) => name !== 'posthorn.system');

  test('has every kind of resource and several causes of dead letters, survives a second run, and is removed', async () => {
    const { exitCode, output, errors } = await run('--keep', '--scene', 'incident', '--count', '40');

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain(`The shop is at ${posthorn.url}/dashboard/: 5 channels, 8 subscriptions, 40 messages, `);
    expect(await names('/v1/channels')).toEqual(['deployments', 'customers', 'billing', 'shipments', 'orders']);
    expect(await names('/v1/workflows')).toEqual(['Payment reminder', 'Fulfil large orders', 'Refund approval']);
    expect(await names('/v1/webhooks')).toEqual(['Warehouse scanners', 'Stripe', 'GitHub']);
    expect(await names('/v1/markers')).toEqual(['Deploy 4.2', 'Deploy 4.1', 'Deploy 4.0']);
    for (const path of ['secrets', 'inspectors']) expect(await list(`/v1/${path}`)).toHaveLength(3);
    const letters = await list<{ reason: string; lastError: { status?: number } }>('/v1/dlq');
    expect(letters.map(({ lastError }) => lastError.status)).toEqual(expect.arrayContaining([500, 410]));
    expect(letters.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['exhausted', 'gone']));
    expect((await list('/v1/runs')).length).toBeGreaterThan(2);
    expect(await list('/v1/replays')).toHaveLength(1);

    expect(await run('--keep', '--scene', 'empty')).toMatchObject({ exitCode: 0, errors: '' });
    expect(await names('/v1/channels')).toHaveLength(5);
    expect((await list<{ status: string }>('/v1/subscriptions')).every(({ status }) => status === 'active')).toBe(true);

    expect(await run('--remove')).toMatchObject({ exitCode: 0, errors: '' });
    for (const path of ['channels', 'workflows', 'webhooks', 'marks', 'secrets', 'inspectors'])
      expect(await names(`/v1/${path}`)).toEqual([]);
    expect((await list<{ status: string }>('/v1/dlq')).some(({ status }) => status === 'open')).toBe(false);
  }, 180_000);

  test('refuses rows for another service than the `npm start` of this checkout, and services elsewhere', async () => {
    const { exitCode, errors } = await run('--keep', '--rows', '10');
    expect({ exitCode, errors }).toEqual({
      exitCode: 1,
      errors: expect.stringContaining('--rows needs the `npm start`'),
    });
    expect(await names('/v1/channels')).toEqual([]);
    for (const url of ['postgresql://db.example.com/posthorn', 'http://10.0.0.1:3000', 'http://localhost.example.com'])
      expect(isLoopback(url)).toBe(false);
    for (const url of ['postgresql://postgres@127.0.0.1:54320/posthorn', 'http://localhost:3000', 'http://[::1]:3000'])
      expect(isLoopback(url)).toBe(true);
  });

  test('publishes payloads of 0.4 to 4 KB, and now and then an order of 70 KB', () => {
    const events = createEvents(createRandom(1), 1);
    const sizes = Array.from({ length: 120 }, (_, position) => JSON.stringify(events.at(position).payload).length);
    const [largest = 0, next = 0, ...others] = sizes.sort((one, other) => other - one);
    expect([largest, next].every((size) => size > 60_000 && size < 80_000)).toBe(true);
    expect(others.every((size) => size >= 400 && size < 4_096)).toBe(true);
  });
});

describe('the figures of the demo', () => {
  const payloads = loadPayloads();
  const expected = expectedOf(payloads);
  const receiverOf = (arrivalsOf: (position: number) => Arrivals | undefined) => ({
    problems: [],
    arrivalsOf: (_target: string, position: number) => arrivalsOf(position),
  });
  const honest = (position: number): Arrivals => {
    const refused = { take: 0, 'fail once': 1, 'fail for ever': 3 }[planOf(position)];
    const tries = Array.from({ length: refused + 1 }, (_, n) => ({ at: 1_000 * n, isTaken: n === refused }));
    return { publishedAt: -20, tries };
  };
  const wrongOnes = (arrivalsOf: (position: number) => Arrivals | undefined): string[] =>
    judgeArrivals(receiverOf(arrivalsOf), expected, 1_000)
      .figures.filter((figure) => !isRight(figure))
      .map(({ name, value }) => `${name} ${value}`);
  const targetsOf = (position: number): number => expected.filter((item) => item.position === position).length;

  test('are right when everything arrives as it must, and show the time of first tries only', () => {
    expect(wrongOnes(honest)).toEqual([]);
    const { latencies } = judgeArrivals(receiverOf(honest), expected, 1_000);
    expect(latencies.map(({ value }) => value)).toEqual([20, 20, 20, 20]);
  });

  test('tell of a payload that is lost, one that comes twice, and one that is retried too early', () => {
    const early = payloads.find(({ position }) => planOf(position) === 'fail once')?.position ?? -1;
    const none: Arrivals = { publishedAt: 0, tries: [] };
    const twice: Arrivals = {
      publishedAt: 0,
      tries: [
        { at: 1, isTaken: true },
        { at: 2, isTaken: true },
      ],
    };
    const hasty: Arrivals = {
      publishedAt: 0,
      tries: [
        { at: 0, isTaken: false },
        { at: 999, isTaken: true },
      ],
    };

    expect(wrongOnes((position) => (position === 5 ? undefined : honest(position)))).toEqual([`lost ${targetsOf(5)}`]);
    expect(wrongOnes((position) => (position === 5 ? none : honest(position)))).toEqual([`lost ${targetsOf(5)}`]);
    expect(wrongOnes((position) => (position === 9 ? twice : honest(position)))).toEqual([`doubled ${targetsOf(9)}`]);
    expect(wrongOnes((position) => (position === early ? hasty : honest(position)))).toEqual([
      `retried before their time ${targetsOf(early)}`,
    ]);
  });

  test('the table names what a wrong one must be', () => {
    expect(
      toTable([
        { name: 'lost', value: 3, wanted: 0 },
        { name: 'published', value: 12, wanted: 12 },
      ]),
    ).toEqual(['  lost        3  must be 0', '  published  12']);
  });

  test.each([
    [0.5, [4, 1, 3, 2], 2],
    [0.99, [4, 1, 3, 2], 4],
    [0.5, [7], 7],
    [0.5, [], Number.NaN],
  ])('the percentile %d of %j is %d', (share, values, value) => {
    expect(percentile(values, share)).toBe(value);
  });

  test('are no longer waited for when nothing moves', async () => {
    const waiting = { patienceMs: 30, signal: new AbortController().signal, everyMs: 5 };
    expect(await waitForCount(2, () => 1, waiting)).toBe(false);
    expect(await waitForCount(2, () => 2, waiting)).toBe(true);
  });
});
