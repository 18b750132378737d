import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Pool as Connections } from 'undici';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { HOSTILE_INPUTS, type HostileInput, type Prepared } from './hostile-inputs.ts';
import { wholeNumber } from './options.ts';
import { startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import type { Service } from './service.ts';
import { formatTable, percentile } from './statistics.ts';

const USAGE = `npm run bench:hold-up -- [options]
  what hostile requests cost other callers: median and p99 of /healthz and of another tenant's publishes, without and with each, by turns
  --only <text>    inputs whose name has this text; may be repeated
  --ms <n>         of each measurement, default 1500: twice for each input, one without and one with it
  --processes <n>  default 1`;

/** A ratio above this is flagged: the input holds others up. */
const MOST = 2;
/** A difference of less is the machine's own, whatever the ratio says: two callers of one core wait for each other. */
const LEAST_MS = 5;
const PAUSE_MS = 5;

type Times = { median: number; p99: number };
type Measured = { health: Times; publish: Times };

/** Asks both for so long, each every 5 ms and once the answer before is there. */
async function measure(
  connections: Connections,
  ask: { key: string; channelId: string },
  ms: number,
): Promise<Measured> {
  const time = async (call: () => Promise<unknown>, times: number[]): Promise<void> => {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  };
  const send = async (path: string, method: 'GET' | 'POST', body?: string): Promise<void> => {
    const { statusCode, body: answer } = await connections.request({
      path,
      method,
      headers: {
        authorization: `Bearer ${ask.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    await answer.dump();
    if (statusCode >= 300) throw new Error(`${method} ${path} was answered with ${statusCode}`);
  };
  const [health, publish]: [number[], number[]] = [[], []];
  const end = performance.now() + ms;
  const follow = async (call: () => Promise<unknown>, times: number[]): Promise<void> => {
    while (performance.now() < end) {
      await time(call, times);
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all([
    follow(() => send('/healthz', 'GET'), health),
    follow(
      () => send(`/v1/channels/${ask.channelId}/messages`, 'POST', '{"eventType":"a","payload":{"n":1}}'),
      publish,
    ),
  ]);
  const timesOf = (times: readonly number[]): Times => {
    const sorted = Float64Array.from(times).sort();
    return { median: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
  };
  return { health: timesOf(health), publish: timesOf(publish) };
}

/** The same while the input is sent all the time. `statuses` counts its answers; 0 is a connection that broke. */
async function measureUnder(
  service: Service,
  input: { of: HostileInput; prepared: Prepared },
  run: () => Promise<Measured>,
): Promise<{ measured: Measured; statuses: Map<number, number> }> {
  const statuses = new Map<number, number>();
  const sender = new Worker(new URL('hostile-sender.ts', import.meta.url), {
    workerData: { url: service.url, request: input.of.of(input.prepared), atOnce: input.of.atOnce },
  });
  sender.on('message', (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1));
  // Thrown by what awaits the measurement: a sender that cannot start would measure nothing.
  const failed = new Promise<never>((_, reject) => sender.once('error', reject));
  try {
    return { measured: await Promise.race([run(), failed]), statuses };
  } finally {
    await sender.terminate();
  }
}

/** One of everything that inputs need, made with the live key: the attacker's. */
async function prepare(service: Service, key: string): Promise<Prepared> {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} was answered with ${answer.status}: ${await answer.text()}`);
    // `as`: each of these answers has an id.
    return ((await answer.json()) as { id: string }).id;
  };
  const channelId = await make('/v1/channels', { name: 'Attacker' });
  const webhook = { channelId, scheme: 'token', secrets: ['a token of some length'] };
  const webhookId = await make('/v1/webhooks', { ...webhook, name: 'Token', signature: { header: 'X-Token' } });
  const mailgunId = await make('/v1/webhooks', {
    channelId,
    name: 'Mailgun',
    scheme: 'mailgun',
    secrets: ['a signing key of some length'],
  });
  const deep = `${'{"a":'.repeat(28)}{"a":"x","deep":"${'d'.repeat(240_000)}"}${'}'.repeat(28)}`;
  for (let message = 0; message < 40; message += 1)
    await make(`/v1/channels/${channelId}/messages`, { eventType: 'deep', payload: JSON.parse(deep) as object });
  return { key, channelId, webhookId, mailgunId };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      ms: { type: 'string', default: '1500' },
      processes: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const ms = wholeNumber('--ms', values.ms);
  const processes = wholeNumber('--processes', values.processes);
  const inputs = HOSTILE_INPUTS.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error });
  const databaseUrl = await rig.createDatabase('hold_up');
  const service = await rig.startService({ databaseUrl, processes });
  const connections = new Connections(service.url, { connections: 2 });
  try {
    const { key, testKey } = service;
    if (key === undefined || testKey === undefined) throw new Error('The service has printed no keys');
    const prepared = await prepare(service, key);
    const ask = { key: testKey, channelId: (await prepare(service, testKey)).channelId };
    const run = (): Promise<Measured> => measure(connections, ask, ms);
    // Once to be compiled by the engine.
    await run();
    const rows: string[][] = [];
    let flagged = 0;
    for (const of of inputs) {
      console.error(of.name);
      const without = await run();
      const { measured, statuses } = await measureUnder(service, { of, prepared }, run);
      const cells = (['health', 'publish'] as const).flatMap((call) =>
        (['median', 'p99'] as const).map((figure) => {
          const [calm, under] = [without[call][figure], measured[call][figure]];
          const isHeldUp = under / calm > MOST && under - calm > LEAST_MS;
          if (isHeldUp) flagged += 1;
          return `${calm.toFixed(1)} → ${under.toFixed(1)} (${(under / calm).toFixed(1)})${isHeldUp ? ' !' : ''}`;
        }),
      );
      const answers = [...statuses].map(([status, count]) => `${status}×${count}`).join(' ');
      rows.push([of.name, `${of.who}, ${of.atOnce}`, ...cells, answers]);
    }
    const head = [
      'input',
      'who, at once',
      'healthz median',
      'healthz p99',
      'publish median',
      'publish p99',
      'its answers',
    ];
    console.log(formatTable(head, rows));
    console.log(
      `ms without → with it (ratio); ! where the ratio is above ${MOST} by more than ${LEAST_MS} ms: ${flagged} of ${rows.length * 4}`,
    );
  } finally {
    await connections.close();
    await service.stop();
    await rig.stop();
  }
}

await runMain(main);
