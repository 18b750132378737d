import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool as Connections } from 'undici';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { createTarget } from './against/http-target.ts';
import { prepareTree } from './against/tree.ts';
import { type Ask, call as send, CONNECTIONS, type Cost, measureCalls } from './cost-of-calls.ts';
import { wholeNumber } from './options.ts';
import { type Rig, startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import { AUTHORITY_FILE, OWN_PROGRAM, type Program, type Service } from './service.ts';
import { formatTable, percentile, show, spreadOf } from './statistics.ts';

type Ids = { channelId: string; coveredId: string; messageId: string; subscriptionId: string };

const BODY = '{"eventType":"order.paid","payload":{"number":1}}';
/** Calls with an API key, as a program makes them most. Nobody subscribes to the channel. */
const CALLS = {
  'GET a channel': ({ channelId }) => ({ method: 'GET', path: `/v1/channels/${channelId}` }),
  'GET 20 channels': () => ({ method: 'GET', path: '/v1/channels?limit=20' }),
  'GET a subscription': ({ subscriptionId }) => ({ method: 'GET', path: `/v1/subscriptions/${subscriptionId}` }),
  'GET a message': ({ messageId }) => ({ method: 'GET', path: `/v1/messages/${messageId}` }),
  publish: ({ channelId }) => ({ method: 'POST', path: `/v1/channels/${channelId}/messages`, body: BODY }),
  'publish that begins a run': ({ coveredId }) => ({
    method: 'POST',
    path: `/v1/channels/${coveredId}/messages`,
    body: BODY,
  }),
} as const satisfies Record<string, (ids: Ids) => Omit<Ask, 'headers'>>;
type Call = keyof typeof CALLS;
// `as`: the keys of that object.
const NAMES = Object.keys(CALLS) as Call[];
const CHANNELS = 30;
/** Runs that a worker has room for (src/automations/starting/starting-loop.ts), and some more. */
const RUNS_OF_A_WORKER = 150;

const USAGE = `npm run bench:calls -- --against <commit> [options]
  --against <commit>  the service of that commit and the one here, both running, asked by turns
  --only <call>       ${NAMES.join(', ')}; may be repeated
  --requests <n>      of each call in a turn, default 3000
  --turns <n>         default 6`;

type Side = { service: Service; connections: Connections; ids: Ids; ask: (call: Call) => Ask };
type Costs = Record<Call, { here: Cost[]; other: Cost[] }>;

/** The service of this folder and that of another commit, both running, asked by turns. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      against: { type: 'string' },
      only: { type: 'string', multiple: true },
      requests: { type: 'string', default: '3000' },
      turns: { type: 'string', default: '6' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (values.against === undefined) throw new Error('--against <commit> is missing');
  const requests = wholeNumber('--requests', values.requests);
  const names = NAMES.filter((name) => values.only?.includes(name) ?? true);
  const tree = prepareTree(values.against, console.error);
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error });
  // `as`: an entry for each call.
  const costs = Object.fromEntries(NAMES.map((name) => [name, { here: [], other: [] }])) as unknown as Costs;
  const sides: Side[] = [];
  const hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  try {
    const other = await openSide(rig, 'other', { ...OWN_PROGRAM, main: `${tree.folder}/dist/src/main.js` });
    sides.push(other);
    const here = await openSide(rig, 'here', OWN_PROGRAM);
    sides.push(here);
    // `as`: a server that listens on TCP has no other kind of address.
    await cover(here, `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`);
    // Once to be compiled by the engine.
    for (let turn = 0; turn <= wholeNumber('--turns', values.turns); turn += 1) {
      console.error(`Turn ${turn}`);
      for (const name of names) {
        for (const side of turn % 2 === 0 ? [here, other] : [other, here]) {
          const asked = Array.from({ length: requests }, () => side.ask(name));
          const cost = await measureCalls(rig, side.service, side.connections, asked);
          if (turn > 0) costs[name][side === here ? 'here' : 'other'].push(cost);
        }
      }
    }
  } finally {
    for (const { connections, service } of sides) {
      await connections.close();
      await service.stop();
    }
    await rig.stop();
    hanging.close();
  }
  console.log(`Here against ${tree.commit}`);
  report(costs, names);
}

async function openSide(rig: Rig, name: 'here' | 'other', program: Program): Promise<Side> {
  const temporal = name === 'here' ? rig.temporal : await rig.openTemporal(name);
  // Both run at the same time, and each keeps its data folder for itself.
  const folder = join(rig.folder, `calls-${name}`);
  mkdirSync(folder);
  copyFileSync(join(rig.folder, AUTHORITY_FILE), join(folder, AUTHORITY_FILE));
  const service = await rig.startService({
    databaseUrl: await rig.createDatabase(`calls_${name}`),
    temporalAddress: temporal.address,
    folder,
    program,
  });
  const { url, key } = service;
  if (key === undefined) throw new Error('The service printed no API key');
  const access = { url, key };
  const { channelId } = await createTarget(access, []);
  for (let count = 1; count < CHANNELS; count += 1) await createTarget(access, []);
  const { channelId: coveredId } = await createTarget(access, []);
  const subscribed = await createTarget(access, ['http://127.0.0.1:4000/']);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const connections = new Connections(url, { connections: CONNECTIONS, pipelining: 1 });
  const published = { method: 'POST', path: `/v1/channels/${channelId}/messages`, headers, body: BODY } as const;
  const { id: messageId } = await send<{ id: string }>(connections, published);
  const ids: Ids = { channelId, coveredId, messageId, subscriptionId: subscribed.subscriptionIds[0] ?? '' };
  return { service, connections, ids, ask: (call) => ({ ...CALLS[call](ids), headers }) };
}

/**
 * Has a workflow begin with each message of one channel, on this side alone. Its first runs hang in a request and take all room of the
 * worker, so that only the publish is measured of those that follow.
 */
async function cover({ connections, ids, ask }: Side, url: string): Promise<void> {
  const { headers } = ask('publish');
  const trigger = { type: 'event', config: { channelId: ids.coveredId } };
  const steps = [{ id: 'hang', type: 'action', config: { action: 'http', url, timeout: '5m' } }];
  const body = JSON.stringify({ name: 'covers the channel', status: 'active', trigger, steps });
  await send(connections, { method: 'POST', path: '/v1/workflows', headers, body });
  for (let run = 0; run < RUNS_OF_A_WORKER; run += 1) await send(connections, ask('publish that begins a run'));
}

/** The medians of both, and the ratio of each turn: its median and its middle half. */
function report(costs: Costs, names: readonly Call[]): void {
  const figures = [
    ['service CPU ms', ({ serviceMs }: Cost) => serviceMs],
    ['PostgreSQL CPU ms', ({ postgresMs }: Cost) => postgresMs],
    ['both', ({ serviceMs, postgresMs }: Cost) => serviceMs + postgresMs],
    ['requests/s', ({ perSecond }: Cost) => perSecond],
  ] as const;
  const rows = names.flatMap((name) =>
    figures.map(([figure, of]) => {
      const { here, other } = costs[name];
      const ratios = Float64Array.from(here.map((cost, turn) => of(cost) / of(other[turn] ?? cost))).sort();
      const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => show(percentile(ratios, part)));
      const medianOf = (side: Cost[]): string => show(spreadOf(side.map(of)).median);
      return [name, figure, medianOf(other), medianOf(here), middle ?? '', `${low}–${high}`];
    }),
  );
  console.log(formatTable(['call', 'figure', 'other', 'here', 'ratio', 'middle half'], rows));
}

await runMain(main);
