import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import {
  createFilterCompiler,
  type Filter,
  KEPT,
  readMessage,
  createFilters,
} from '../src/messaging/filters/filters.ts';
import { UNITS_OF_A_CHANNEL } from '../src/messaging/filters/expressions/units.ts';
import { dearFilter, largestPayload } from '../test/support/make/dear-filters.ts';

const USAGE = `npm run bench:filters
  what each shape of a filter costs on the payload that makes it work hardest, and the largest payloads to the dearest filters`;

const RUNS = 25;
const MESSAGES = 100;
const compile = createFilterCompiler(KEPT);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n % 10);
const lines = numbers(1_000).map((n) => ({
  sku: `A-${n}`,
  price: n,
  count: 2,
  at: '2026-02-01T00:00:00.123456789+01:00',
}));
const twoOf = (value: unknown): Record<string, unknown> => ({ a: value, b: structuredClone(value) });

/** Each filter with the payload that makes it work hardest. */
const SHAPES: readonly [string, unknown][] = [
  ['payload.a == 1 && payload.b == 2', { a: 1, b: 2 }],
  ['payload.a > 100', {}],
  ['payload.a.exists(x, x > 100)', { a: numbers(1_000) }],
  ['payload.a.exists(l, l.price * l.count >= 200)', { a: lines }],
  ['payload.a.exists(l, has(l.sku) && l.sku == "abc" && l.price != 1)', { a: lines }],
  ['payload.a.filter(l, l.price >= 0).size() == 5', { a: lines }],
  ['payload.a.exists(x, x.b == 1)', { a: numbers(1_000).map((_, n) => (n < 49 ? {} : { b: 2 })) }],
  ['payload.a.exists(l, timestamp(l.at) > timestamp("2027-01-01T00:00:00Z"))', { a: lines }],
  ['payload.a == payload.b', twoOf(numbers(499).map(() => ({ a: 1 })))],
  ['payload.a == payload.b', twoOf('x'.repeat(131_000))],
  ['payload.b in payload.a', { a: numbers(10_000).map((n) => `${'z'.repeat(20)}${n}`), b: `${'z'.repeat(20)}a` }],
  ['payload.a.contains(payload.b)', { a: 'ab'.repeat(32_000), b: `${'ab'.repeat(1_000)}c${'ab'.repeat(1_000)}` }],
  ['payload.a.matches("(?i)(error|warning|critical|fatal|timeout|refused)")', { a: 'erowanictlfm'.repeat(340) }],
  ['payload.a.upperAscii() == "a"', { a: 'ßΐ'.repeat(2_048) }],
];

/** The median time of a filter on its payload, and what one of its units took. */
function measure([expression, payload]: readonly [string, unknown]): Record<string, string | number> {
  const filter = filterOf(expression);
  const text = JSON.stringify(payload);
  const times = Array.from({ length: RUNS }, () => {
    const message = readMessage({ eventType: 'order.created', payload: text, metadata: undefined });
    message.read();
    const startedAt = performance.now();
    filter.verdictOn(message);
    return performance.now() - startedAt;
  }).sort((one, other) => one - other);
  const medianMs = times[RUNS >> 1] ?? Number.NaN;
  return {
    filter: expression,
    units: filter.units,
    µs: Math.round(medianMs * 10_000) / 10,
    'ns a unit': Math.round((medianMs * 10_000_000) / filter.units) / 10,
  };
}

function filterOf(expression: string): Filter {
  const compiled = compile(expression);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled;
}

/** Cost of the largest payloads, all at once, to so many of the dearest filters. */
async function publish(count: number): Promise<Record<string, string | number>> {
  const filters = createFilters();
  const expressions = Array.from({ length: count }, (_, n) => dearFilter(10 + n));
  const payload = JSON.stringify(largestPayload());
  const input = (n: number) => ({ key: `channel ${n % 3}`, eventType: 'order.created', payload, metadata: undefined });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startedAt = performance.now();
  delay.enable();
  await Promise.all(Array.from({ length: MESSAGES }, (_, n) => filters.evaluate(expressions, input(n))));
  // The last pause is seen by the turn behind it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return {
    filters: count,
    messages: MESSAGES,
    'ms in all': Math.round(performance.now() - startedAt),
    'longest pause, ms': Math.round(delay.max / 100_000) / 10,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) return console.log(USAGE);
  // Once to be compiled by the engine, once to be measured.
  SHAPES.forEach(measure);
  console.table(SHAPES.map(measure));
  const dearest = Math.floor(UNITS_OF_A_CHANNEL / filterOf(dearFilter(10)).units);
  await publish(1);
  console.table([await publish(1), await publish(dearest)]);
}

await main();
