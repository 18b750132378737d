import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { TIER_LIMITS } from '../../src/kernel/words/rights.ts';
import { routes } from '../../src/process/routes.ts';
import { DEFAULT_RETRY_POLICY, RETRY_BOUNDS } from '../../src/kernel/contract/retry-policy.ts';
import { DEAD_LETTER_KINDS, DEAD_LETTER_REASONS, DEAD_LETTER_STATUSES } from '../../src/kernel/words/statuses.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { codeBlocksOf, tableRowsOf } from './code-blocks.ts';
import { runScript } from './shell.ts';

const PAGE = 'docs/api.md';
/** Endpoints of other pages have no version: docs/authentication.md. */
const inVersion = routes.filter(({ path }) => path.startsWith('/v1/'));
const toSorted = (rows: string[][]): string[] => rows.map((cells) => cells.join(' ')).sort((a, b) => (a < b ? -1 : 1));
/** Requests that need a passkey, which no command line has: test/identity/passkeys.test.ts makes them. */
const OF_BROWSERS = [
  'POST /v1/sign-in/passkey',
  'POST /v1/user/passkeys',
  'PATCH /v1/user/passkeys/:passkeyId',
  'DELETE /v1/user/passkeys/:passkeyId',
];
/** Commands of programs that npm does not bring: test/openapi/generators runs them. */
const OF_GENERATORS = /^# (?:oapi-codegen|openapi-|datamodel-)/;
const grouped = (value: number): string => value.toLocaleString('en');

let posthorn: TestPosthorn;
let receiver: Receiver;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-api-'));
  receiver = await startReceiver();
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the tables name every endpoint of the route table with its scope and status, and no other', () => {
  const shown = tableRowsOf(PAGE).filter(([, path]) => path?.startsWith('`/v1/'));
  const actual = inVersion.map(({ method, path, access, status }) => [
    method,
    `\`${path}\``,
    typeof access === 'string' ? access : access.scope,
    String(status),
  ]);
  expect(toSorted(shown)).toEqual(toSorted(actual));
});

test('the defaults and bounds of a retryPolicy are those of the code', () => {
  const rows = new Map(tableRowsOf(PAGE).map(([name = '', ...cells]) => [name.replaceAll('`', ''), cells]));
  for (const [field, { min, max }] of Object.entries(RETRY_BOUNDS)) {
    const value = grouped(DEFAULT_RETRY_POLICY[field as keyof typeof RETRY_BOUNDS]);
    const lowest = field === 'maxDelay' ? '`initialDelay`' : grouped(min);
    expect([field, rows.get(field)?.[0]?.replace(' ms', '')]).toEqual([field, value]);
    expect([field, rows.get(field)?.[1]]).toEqual([field, `${lowest}–${grouped(max)}`]);
  }
});

test('the limits of the tiers are those of the code', () => {
  const rows = tableRowsOf(PAGE).filter(([name = '']) => name in TIER_LIMITS);
  expect(rows).toEqual(
    Object.entries(TIER_LIMITS).map(([tier, { requestsPerMinute, burst, concurrent, batchPerMinute }]) => [
      tier,
      ...[requestsPerMinute, burst, concurrent, batchPerMinute].map(grouped),
    ]),
  );
});

// Old: the page named neither failed_step nor run, which are taken all the same.
test('the values by which dead letters are listed are those of the code, and no other one is taken', async () => {
  const known = { reason: DEAD_LETTER_REASONS, kind: DEAD_LETTER_KINDS, status: DEAD_LETTER_STATUSES };
  for (const [parameter, values] of Object.entries(known)) {
    const shown = tableRowsOf(PAGE, 'Dead letters').filter(([name]) => name === `\`${parameter}\``);
    expect([parameter, shown.map(([, value]) => value)]).toEqual([parameter, values.map((value) => `\`${value}\``)]);
    for (const value of [...values, 'other']) {
      const { status } = await posthorn.request('GET', `/v1/dlq?${parameter}=${value}`);
      expect([parameter, value, status]).toEqual([parameter, value, value === 'other' ? 400 : 200]);
    }
  }
});

// Old: the example was written by hand, and its reason was not what the service says.
test('the example of errors.md is what the service answers', async () => {
  const [example] = codeBlocksOf('docs/errors.md');
  const { status, body } = await posthorn.request('POST', '/v1/channels', {});
  expect([status, body]).toEqual([400, JSON.parse(example?.text ?? '')]);
});

// Old: the page said that every answer has the headers of the rate limit, and that lists have the order of making.
test('every answer has a request id, those of probes have no rate limit, and a list begins with what was made last', async () => {
  const probe = await fetch(`${posthorn.url}/healthz`);
  expect([probe.headers.has('x-request-id'), probe.headers.has('x-ratelimit-limit')]).toEqual([true, false]);
  const missing = await fetch(`${posthorn.url}/nothing`);
  expect([missing.headers.has('x-request-id'), missing.headers.has('x-ratelimit-limit')]).toEqual([true, true]);
  const { body: first } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'first' });
  const { body: second } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'second' });
  const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', '/v1/channels?limit=2');
  expect(body.data.map(({ id }) => id)).toEqual([first.id, second.id].toSorted().toReversed());
});

test('every request of the page succeeds, run from top to bottom, and there is one for every endpoint', async () => {
  const requestsPath = join(folder, 'requests');
  const script = codeBlocksOf(PAGE)
    .filter(({ language, text }) => language === 'bash' && !OF_GENERATORS.test(text))
    .map(({ text }) => text)
    .join('\n');
  const replaced = {
    'URL=http://localhost:3000': `URL=${posthorn.url}`,
    'http://localhost:4000/': receiver.url,
    'http://localhost:4001/': `http://127.0.0.1:${await findFreePort()}/`,
  };

  const { exitCode, output, errors } = await runScript(script, {
    replaced,
    databaseUrl: posthorn.database.url,
    requestsPath,
  });

  if (exitCode !== 0) throw new Error(`the page's commands end with ${exitCode}:\n${output.slice(-500)}\n${errors}`);
  const made = readFileSync(requestsPath, 'utf8').trim().split('\n');
  // No API key is above environments, and the page's calls have one; its service has no identity provider.
  const open = inVersion.filter(
    ({ access, path }) =>
      (typeof access === 'string' || access.level !== 'organisation') && !path.includes('/single-sign-on'),
  );
  const unused = open.filter(({ method, path }) => {
    const pattern = new RegExp(
      `^${method} ${posthorn.url}${path.replace(':connectorId', '[a-z-]+').replaceAll(/:[a-zA-Z]+/g, '[a-z]{3}_[0-9a-z]{26}')}(\\?|$)`,
    );
    return !made.some((request) => pattern.test(request));
  });
  expect(unused.map(({ method, path }) => `${method} ${path}`)).toEqual(OF_BROWSERS);
  expect(made).toContain(`GET ${posthorn.url}/healthz`);
  expect(made).toContain(`GET ${posthorn.url}/readyz`);
}, 270_000);
