import { parseArgs } from 'node:util';
import pg from 'pg';
import { Pool as Connections } from 'undici';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { createAttacker } from './hold-up/attacker.ts';
import { BASE_URL } from './hold-up/inbound.ts';
import type { HostileInput } from './hold-up/input.ts';
import { type Bystander, measure, type Measured, measureUnder, quiet } from './hold-up/measure.ts';
import { HOSTILE_INPUTS, ORDINARY } from './hold-up/table.ts';
import { wholeNumber } from './options.ts';
import { startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import type { Service } from './service.ts';
import { formatTable } from './statistics.ts';

const USAGE = `npm run bench:hold-up -- [options]
  what hostile requests cost other callers: median and p99 of /healthz and of another tenant's publishes, without and with each, in turn
  --only <text>    inputs whose name has this text; may be repeated
  --ms <n>         of each measurement, default 1500: twice for each input, one without and one with it
  --processes <n>  default 1`;

/** A ratio above this is flagged: the input holds others up. */
const MOST = 2;
/** A difference of less is the machine's own, whatever the ratio says: two callers of one core wait for each other. */
const LEAST_MS = 5;
const FIGURES = [
  ['health', 'median'],
  ['health', 'p99'],
  ['publish', 'median'],
  ['publish', 'p99'],
] as const;

/**
 * One input, measured. `above`: figures that it raises beyond the bound. `isLoad`: none of them is beyond the bound of as many ordinary
 * calls at once. `fault`: why it has measured nothing.
 */
type Row = { cells: string[]; above: string[]; isLoad: boolean; fault?: string };

const isMuchMore = (under: number, calm: number): boolean => under / calm > MOST && under - calm > LEAST_MS;

function rowOf(
  { name, who, atOnce, reached }: HostileInput,
  { without, ordinary }: { without: Measured; ordinary: Measured },
  { measured, answers }: { measured: Measured; answers: ReadonlyMap<string, number> },
): Row {
  const above: string[] = [];
  let isLoad = true;
  const figures = FIGURES.map(([call, figure]) => {
    const [calm, under] = [without[call][figure], measured[call][figure]];
    const isAbove = isMuchMore(under, calm);
    const isWorse = isAbove && isMuchMore(under, ordinary[call][figure]);
    if (isAbove) above.push(`${call} ${figure} ${(under / calm).toFixed(1)}`);
    if (isWorse) isLoad = false;
    const mark = isWorse ? ' !!' : isAbove ? ' !' : '';
    return `${calm.toFixed(1)} → ${under.toFixed(1)} (${(under / calm).toFixed(1)})${mark}`;
  });
  const counted = [...answers].map(([answer, count]) => `${answer}×${count}`).join(' ');
  const isReached = [...answers.keys()].some((answer) => !answer.startsWith('no answer') && answer.startsWith(reached));
  return {
    cells: [name, `${who}, ${atOnce}`, ...figures, counted],
    above,
    isLoad,
    ...(!isReached && { fault: `no answer begins with "${reached}": ${counted || 'none came'}` }),
  };
}

/** The tenant's own limits would refuse most inputs before they are read. */
async function liftLimits(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      'UPDATE api_keys SET requests_per_minute = 6e6, burst = 1e6, concurrent = 1e4, batch_per_minute = 6e6',
    );
  } finally {
    await client.end();
  }
}

async function measureAll(service: Service, inputs: readonly HostileInput[], ms: number): Promise<void> {
  const { key, testKey, url } = service;
  if (key === undefined || testKey === undefined) throw new Error('The service has printed no keys');
  const connections = new Connections(url, { connections: 2 });
  try {
    const channelId = await createAttacker(url, testKey).channel({ name: 'Another tenant' });
    const bystander: Bystander = { connections, key: testKey, channelId };
    const run = (): Promise<Measured> => measure(bystander, ms);
    // Once to be compiled by the engine.
    await run();
    const rows: Row[] = [];
    const ordinary = new Map<number, Measured>();
    for (const input of inputs) {
      const { name, atOnce } = input;
      console.error(name);
      await quiet(bystander);
      try {
        const without = await run();
        const load = ordinary.get(atOnce) ?? (await measureUnder({ ...ORDINARY, atOnce }, { url, key }, run)).measured;
        ordinary.set(atOnce, load);
        const under = await measureUnder(input, { url, key }, run);
        rows.push(rowOf(input, { without, ordinary: load }, under));
      } catch (failure) {
        rows.push({ cells: [name], above: [], isLoad: true, fault: String(failure) });
      }
    }
    report(rows);
  } finally {
    await connections.close();
  }
}

function report(rows: readonly Row[]): void {
  const head = [
    'input',
    'who, at once',
    'healthz median',
    'healthz p99',
    'publish median',
    'publish p99',
    'its answers',
  ];
  console.log(
    formatTable(
      head,
      rows.map(({ cells }) => cells),
    ),
  );
  const nameOf = ({ cells: [name = ''] }: Row): string => name;
  const faulty = rows.filter(({ fault }) => fault !== undefined);
  for (const row of faulty) console.log(`has measured nothing: ${nameOf(row)}: ${row.fault}`);
  if (faulty.length > 0) process.exitCode = 1;
  const above = rows.filter((row) => row.above.length > 0);
  const named = (which: readonly Row[]): string =>
    which.length === 0 ? 'none' : which.map((row) => `${nameOf(row)} (${row.above.join(', ')})`).join('; ');
  console.log(
    `ms without → with it (ratio). ! above ${MOST} by more than ${LEAST_MS} ms; !! and so much above as many ordinary calls at once`,
  );
  console.log(`! alone, of ${rows.length} inputs: ${named(above.filter(({ isLoad }) => isLoad))}`);
  console.log(`!! of ${rows.length} inputs: ${named(above.filter(({ isLoad }) => !isLoad))}`);
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
  if (inputs.length === 0) throw new Error('No input has this in its name');
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error });
  const databaseUrl = await rig.createDatabase('hold_up');
  const service = await rig.startService({
    databaseUrl,
    processes,
    // The attacker asks from many addresses: limits by address would hide what is behind them.
    variables: { TRUSTED_PROXY_HOPS: '1', PUBLIC_BASE_URL: BASE_URL },
  });
  try {
    await liftLimits(databaseUrl);
    await measureAll(service, inputs, ms);
  } finally {
    await service.stop();
    await rig.stop();
  }
}

await runMain(main);
