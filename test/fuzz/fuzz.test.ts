import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { routes } from '../../src/process/routes.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Calls, noneOf, readCalls } from './calls.ts';
import { factsOf } from './facts.ts';
import { COUNTED, LEFT_OUT, TOLD, TOLERATED, WITH_TWO_IDS } from './tolerated.ts';

const {
  POSTHORN_FUZZ_COMMAND: command = '',
  POSTHORN_FUZZ_SECONDS: seconds = '',
  POSTHORN_FUZZ_SEED: seed = '',
} = process.env;
/** Calls of a route that get past the validation: below it the route is not really tried. */
const LEAST_SHARE = 0.6;
/** A share of fewer calls says nothing, and one must get past. */
const FEWEST = 10;
/** Requests made up for a route in each phase, so that a short run comes to all routes and phases as a long one does. */
const EXAMPLES = Math.max(5, Math.min(100, Math.round(Number(seconds) / 12)));
/** Routes that a run whose time was up early has tried at least: else the machine was too busy to say anything. */
const LEAST_TRIED = 0.5;
/** `npm run fuzz` without `--seconds`, or longer: there it must come to every route, and CI's two minutes need not. */
const IS_LONG = Number(seconds) >= 600;
/** Statuses that data may get which does not fit: those of schemathesis, and 413 for a body too long to be looked at. */
const BAD = ['400', '401', '403', '404', '405', '406', '409', '413', '415', '422', '428', '429', '5xx'];
/** Statuses that data which fits the document may get. */
const GOOD = ['2xx', '303', '401', '403', '404', '409', '503'];

const folder = mkdtempSync(join(tmpdir(), 'posthorn-fuzz-'));
const events = join(folder, 'events.ndjson');
const known = routes.map(({ method, path }) => `${method} ${path}`);
const nameOf = (endpoint: string): string => endpoint.replaceAll(/:(\w+)/g, '{$1}');
const quoted = (text: string): string => JSON.stringify(text);

let posthorn: TestPosthorn;
let calls: Calls[] = [];
/** The time was up before each route had been tried. */
let isCutShort = false;
let status: number | undefined;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, variables: { TRUSTED_PROXY_HOPS: '1' } });
  const facts = join(folder, 'facts.json');
  writeFileSync(facts, JSON.stringify(await factsOf(posthorn)));
  writeFileSync(join(folder, 'schemathesis.toml'), settings());
  // A session counts as authenticated for ten minutes, and a run may take an hour. The clients cannot prove it again: that gives a new
  // secret.
  const proving = setInterval(() => {
    void posthorn.deps.pool.query('UPDATE sessions SET authenticated_at = now()');
  }, 60_000);
  status = await run(facts);
  clearInterval(proving);
  const open = routes
    .filter(({ access }) => access === 'public')
    .map(({ method, path }) => nameOf(`${method} ${path}`));
  const read = await readCalls(events, (route) => open.includes(route));
  calls = read.calls;
  isCutShort = read.covered < known.filter(isTried).length;
  process.stdout.write(`${known.filter(isTried).map(lineOf).join('\n')}\n`);
}, 2 * 3_600_000);
afterAll(async () => {
  await posthorn.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('no call of schemathesis finds an answer that the document does not say', () => {
  expect(status).toBe(0);
});

test('the key and the session that ask are good until the end', () => {
  expect(known.filter((endpoint) => callsOf(endpoint).lost > 0).map(lineOf)).toEqual([]);
});

test('six in ten calls of each route, with data that fits the document, get past its validation', () => {
  const few = known.filter(isTried).filter((endpoint) => {
    const { all: made, past, statuses } = callsOf(endpoint);
    const all = made - (COUNTED[endpoint] === undefined ? 0 : (statuses.get(429) ?? 0));
    return all === 0 ? IS_LONG || !isCutShort : past === 0 || (all >= FEWEST && past / all < LEAST_SHARE);
  });
  expect(few.map((endpoint) => [lineOf(endpoint), ...refusalsOf(endpoint)])).toEqual([]);
});

test('the time was enough for half of the routes, on whatever machine', () => {
  const tried = known.filter(isTried).filter((endpoint) => callsOf(endpoint).all > 0);
  expect(tried.length / known.filter(isTried).length).toBeGreaterThan(LEAST_TRIED);
});

test('the lists of routes that are tolerated or left out name routes that there are', () => {
  const named = [TOLERATED, TOLD, COUNTED, LEFT_OUT, WITH_TWO_IDS].flatMap(Object.keys);
  expect(named.filter((endpoint) => !known.includes(endpoint))).toEqual([]);
});

/** Settings of schemathesis that its command line does not take. */
function settings(): string {
  return [
    `hooks = ${quoted(join(import.meta.dirname, 'hooks.py'))}`,
    'max-redirects = 0',
    'max-stream-events = 1',
    '[checks]',
    `positive_data_acceptance.expected-statuses = [${GOOD.map(quoted).join(', ')}]`,
    `negative_data_rejection.expected-statuses = [${BAD.map(quoted).join(', ')}]`,
    ...Object.keys(TOLERATED).flatMap((endpoint) => [
      '[[operations]]',
      `include-name = ${quoted(nameOf(endpoint))}`,
      `checks.positive_data_acceptance.expected-statuses = [${[...GOOD, '400'].map(quoted).join(', ')}]`,
      // In the entry of its route, which has the line above as well.
      ...(TOLD[endpoint] === undefined
        ? []
        : [`checks.negative_data_rejection.expected-statuses = [${[...BAD, '200'].map(quoted).join(', ')}]`]),
    ]),
    ...Object.keys(COUNTED).flatMap((endpoint) => [
      '[[operations]]',
      `include-name = ${quoted(nameOf(endpoint))}`,
      `checks.positive_data_acceptance.expected-statuses = [${[...GOOD, '429'].map(quoted).join(', ')}]`,
    ]),
    ...Object.keys(WITH_TWO_IDS).flatMap((endpoint) => [
      '[[operations]]',
      `include-name = ${quoted(nameOf(endpoint))}`,
      'checks.ensure_resource_availability.enabled = false',
    ]),
    ...Object.keys(LEFT_OUT).flatMap((endpoint) => [
      '[[operations]]',
      `include-name = ${quoted(nameOf(endpoint))}`,
      'enabled = false',
    ]),
  ].join('\n');
}

/** Runs schemathesis, whose own report goes to the terminal; resolves with its exit code. */
async function run(facts: string): Promise<number> {
  const child = spawn(
    command,
    [
      ['--config-file', join(folder, 'schemathesis.toml'), 'run', `${posthorn.url}/openapi.json`],
      // All checks are on without being named. Named here, they would also be on where the file says otherwise of a route.
      ['--continue-on-failure', '--max-time', seconds, '--seed', seed],
      ['--max-examples', String(EXAMPLES)],
      ['--generation-database', 'none', '--report', 'ndjson', '--report-ndjson-path', events, '--no-color'],
    ].flat(),
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, POSTHORN_FUZZ_FACTS: facts }, cwd: folder },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function isTried(endpoint: string): boolean {
  return LEFT_OUT[endpoint] === undefined;
}

function callsOf(endpoint: string): Calls {
  const route = nameOf(endpoint);
  return calls.find((each) => each.route === route) ?? noneOf(route);
}

/** The commonest refusals of a route. */
const refusalsOf = (endpoint: string): string[] =>
  [...callsOf(endpoint).refusals]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([words, count]) => `${count} × ${words}`);

function lineOf(endpoint: string): string {
  const { all, past, statuses } = callsOf(endpoint);
  const shown = [...statuses].toSorted(([one], [other]) => one - other).map(([code, count]) => `${count} × ${code}`);
  return `${past} of ${all} past the validation: ${endpoint} (${shown.join(', ')})`;
}
