import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool as Connections } from 'undici';
import { findFreePort } from '../local/ports.ts';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { countUnfinished, createTarget } from './against/http-target.ts';
import { call, CONNECTIONS } from './cost-of-calls.ts';
import { wholeNumber } from './options.ts';
import { readUsage } from './processes.ts';
import { urlsAt } from './receivers.ts';
import { type Rig, startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import type { Service } from './service.ts';
import { formatTable, percentile, show, spreadOf } from './statistics.ts';

// Prometheus asks every 15 s as a rule.
const SCRAPE_EVERY_MS = 15_000;
// The exporter hands spans out every 5 s: those of a turn count for it.
const EXPORTED_WITHIN_MS = 1_000;
const POLL_MS = 20;
const WARM_UPS = 2;

/** CPU ms of one message in the service, and in PostgreSQL and Temporal beside it. */
type Cost = { serviceMs: number; allMs: number };
type Costs = Map<string, Cost[]>;

/** Settings of a service that nobody observes, and of one with everything at its defaults. */
const WAYS = {
  unobserved: () => ({ LOG_LEVEL: 'silent' }),
  'logs, metrics and traces': ({ metricsPort, collector }: Ports) => ({
    LOG_LEVEL: 'info',
    METRICS_PORT: metricsPort,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  }),
} as const satisfies Record<string, (ports: Ports) => Record<string, string>>;
type Ports = { metricsPort: string; collector: string };

const USAGE = `npm run bench:observing -- [options]
  --messages <n>   of each burst, default 4000
  --turns <n>      default 8
  --only <part>    requests (traces recorded or not, in one process) or services (observed or not, each turn in new processes)`;

/** By turns: bursts to a service that is observed or not, and bursts to one service whose traces are recorded or not. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '4000' },
      turns: { type: 'string', default: '8' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const count = wholeNumber('--messages', values.messages);
  const turns = wholeNumber('--turns', values.turns);
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error });
  const collector = await startCollector();
  try {
    if (values.only !== 'services')
      report('recorded or not, in one process', await byRequest(rig, { collector, count, turns }));
    if (values.only !== 'requests')
      report('observed or not, each turn in new processes', await byService(rig, { collector, count, turns }));
  } finally {
    await rig.stop();
  }
}

type Asked = { collector: string; count: number; turns: number };

/** The publisher decides by its own trace whether a request is recorded: the process is the same. */
async function byRequest(rig: Rig, { collector, count, turns }: Asked): Promise<Costs> {
  const costs: Costs = new Map([
    ['not recorded', []],
    ['recorded', []],
  ]);
  const databaseUrl = await rig.createDatabase('observing_requests');
  const variables = {
    LOG_LEVEL: 'silent',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_BSP_SCHEDULE_DELAY: '500',
  };
  const { burst, service } = await openService(rig, databaseUrl, variables);
  try {
    for (let turn = 0; turn <= turns; turn += 1) {
      const names = [...costs.keys()];
      for (const name of turn % 2 === 0 ? names : names.toReversed()) {
        const cost = await burst(count, name === 'recorded');
        if (turn > 0) costs.get(name)?.push(cost);
      }
    }
  } finally {
    await service.stop();
  }
  return costs;
}

async function byService(rig: Rig, { collector, count, turns }: Asked): Promise<Costs> {
  const costs: Costs = new Map(Object.keys(WAYS).map((name) => [name, []]));
  const databases = new Map<string, { url: string; key?: string | undefined }>();
  for (let turn = 1; turn <= turns; turn += 1) {
    const ways = Object.entries(WAYS);
    for (const [name, settings] of turn % 2 === 0 ? ways : ways.toReversed()) {
      const metricsPort = String(await findFreePort());
      const database = databases.get(name) ?? { url: await rig.createDatabase(`observing_${databases.size}`) };
      databases.set(name, database);
      const variables = settings({ metricsPort, collector });
      const opened = await openService(rig, database.url, variables, database.key);
      database.key = opened.key;
      const scraping =
        'METRICS_PORT' in variables
          ? setInterval(() => void fetch(`http://127.0.0.1:${metricsPort}/metrics`), SCRAPE_EVERY_MS)
          : undefined;
      // Code is compiled twice by the engine: first quickly, then well.
      for (let warming = 0; warming < WARM_UPS; warming += 1) await opened.burst(count, undefined);
      costs.set(name, [...(costs.get(name) ?? []), await opened.burst(count, undefined)]);
      clearInterval(scraping);
      await opened.service.stop();
    }
  }
  return costs;
}

/** Takes spans and throws them away. */
async function startCollector(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // `as`: the address of a server that listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openService(
  rig: Rig,
  databaseUrl: string,
  variables: Record<string, string>,
  known?: string,
): Promise<{
  service: Service;
  key: string;
  /** `isRecorded`: as the publishers' traces say; undefined for publishers without traces. */
  burst: (count: number, isRecorded: boolean | undefined) => Promise<Cost>;
}> {
  const service = await rig.startService({ databaseUrl, variables });
  const { url, key = known } = service;
  if (key === undefined) throw new Error('The service printed no API key');
  const access = { url, key };
  const target = await createTarget(access, urlsAt(rig.endpoints, 1, 10));
  const path = `/v1/channels/${target.channelId}/messages`;
  const body = JSON.stringify({ eventType: 'order.paid', payload: { text: 'x'.repeat(1_000) } });
  const roots = { service: service.pid, postgres: rig.postgres.pid, temporal: rig.temporal.pid };
  return {
    service,
    key,
    async burst(count, isRecorded) {
      await rig.receiver.ask('begin', {});
      const connections = new Connections(url, { connections: CONNECTIONS, pipelining: 1 });
      const before = readUsage(roots);
      let left = count;
      const publish = async (): Promise<void> => {
        for (; left > 0; left -= 1) {
          const traceparent = `00-${randomBytes(16).toString('hex')}-b7ad6b7169203331-${isRecorded ? '01' : '00'}`;
          const headers = {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            ...(isRecorded !== undefined && { traceparent }),
          };
          await call(connections, { method: 'POST', path, headers, body });
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, publish));
      while ((await countUnfinished(access, target)) > 0) await sleep(POLL_MS);
      await sleep(EXPORTED_WITHIN_MS);
      const after = readUsage(roots);
      await connections.close();
      const of = (part: keyof typeof roots): number => (after[part].cpuMs - before[part].cpuMs) / count;
      return { serviceMs: of('service'), allMs: of('service') + of('postgres') + of('temporal') };
    },
  };
}

/** The CPU of a message, and its ratio to the first way in each turn: the median and the middle half. */
function report(title: string, costs: Costs): void {
  const [bare = []] = costs.values();
  const parts = [
    ['service', ({ serviceMs }: Cost) => serviceMs],
    ['service, PostgreSQL and Temporal', ({ allMs }: Cost) => allMs],
  ] as const;
  const rows = [...costs].flatMap(([name, runs]) =>
    parts.map(([part, of]) => {
      const ratios = Float64Array.from(runs.map((run, turn) => of(run) / of(bare[turn] ?? run))).sort();
      const [low, middle, high] = [0.25, 0.5, 0.75].map((quantile) => show(percentile(ratios, quantile)));
      return [name, part, show(spreadOf(runs.map(of)).median), middle ?? '', `${low}–${high}`];
    }),
  );
  console.log(formatTable([title, 'CPU of', 'ms a message', 'ratio', 'middle half'], rows));
}

await runMain(main);
