import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Pool as Connections } from 'undici';
import { percentile } from '../statistics.ts';
import type { HostileInput } from './input.ts';

type Times = { median: number; p99: number };
/** What another tenant waits for, in ms: `/healthz`, and its publishes. */
export type Measured = { health: Times; publish: Times };

/** Another tenant, who has a channel. */
export type Bystander = { connections: Connections; key: string; channelId: string };

const PAUSE_MS = 5;
/** What was sent before is worked off when so many checks in a row take less. */
const QUIET = { checks: 20, ms: 5, patienceMs: 10_000 };
/** An input that needs longer to begin cannot be measured. */
const BEGIN_PATIENCE_MS = 60_000;
/** Measuring begins with the first answer, when the engine has compiled what it needs, or after so long without one. */
const FIRST_ANSWER_PATIENCE_MS = 3_000;

const timesOf = (times: readonly number[]): Times => {
  const sorted = Float64Array.from(times).sort();
  return { median: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
};

async function timeOf(
  { connections, key }: Bystander,
  request: { path: string; method: 'GET' | 'POST'; body?: string },
): Promise<number> {
  const startedAt = performance.now();
  const { statusCode, body: answer } = await connections.request({
    ...request,
    headers: {
      authorization: `Bearer ${key}`,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    },
  });
  await answer.dump();
  if (statusCode >= 300) throw new Error(`${request.method} ${request.path} was answered with ${statusCode}`);
  return performance.now() - startedAt;
}
const check = (bystander: Bystander): Promise<number> => timeOf(bystander, { path: '/healthz', method: 'GET' });
const publish = (bystander: Bystander): Promise<number> =>
  timeOf(bystander, {
    path: `/v1/channels/${bystander.channelId}/messages`,
    method: 'POST',
    body: '{"eventType":"a","payload":{"n":1}}',
  });

/** Asks for both for so long, each 5 ms after its answer before. */
export async function measure(bystander: Bystander, ms: number): Promise<Measured> {
  const end = performance.now() + ms;
  const follow = async (ask: (by: Bystander) => Promise<number>): Promise<number[]> => {
    const times: number[] = [];
    while (performance.now() < end) {
      times.push(await ask(bystander));
      await sleep(PAUSE_MS);
    }
    return times;
  };
  const [health, published] = await Promise.all([follow(check), follow(publish)]);
  return { health: timesOf(health), publish: timesOf(published) };
}

/** Waits until the service has worked off what an input has left behind, for ten seconds at most. */
export async function quiet(bystander: Bystander): Promise<void> {
  const end = performance.now() + QUIET.patienceMs;
  for (let calm = 0; calm < QUIET.checks && performance.now() < end; ) {
    calm = (await check(bystander)) < QUIET.ms ? calm + 1 : 0;
    await sleep(PAUSE_MS);
  }
}

/** Measures while the input of that name is sent all the time, and counts its answers. */
export async function measureUnder(
  { name, atOnce }: Pick<HostileInput, 'name' | 'atOnce'>,
  attacker: { url: string; key: string },
  run: () => Promise<Measured>,
): Promise<{ measured: Measured; answers: Map<string, number> }> {
  const answers = new Map<string, number>();
  const sender = new Worker(new URL('sender-thread.ts', import.meta.url), {
    workerData: { ...attacker, name, atOnce },
  });
  let patience: NodeJS.Timeout | undefined;
  // A sender that cannot begin would measure nothing.
  const failed = new Promise<never>((_, reject) => {
    sender.once('error', reject);
    patience = setTimeout(
      () => reject(new Error(`has not begun after ${BEGIN_PATIENCE_MS / 1_000} s`)),
      BEGIN_PATIENCE_MS,
    );
  });
  let hasAnswered = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    hasAnswered = resolve;
  });
  const ready = new Promise<void>((resolve) =>
    sender.on('message', (answer: string) => {
      if (answer === 'ready') return resolve();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      hasAnswered();
    }),
  );
  try {
    await Promise.race([ready, failed]);
    clearTimeout(patience);
    await Promise.race([answered, failed, sleep(FIRST_ANSWER_PATIENCE_MS)]);
    return { measured: await Promise.race([run(), failed]), answers };
  } finally {
    clearTimeout(patience);
    await sender.terminate();
  }
}
