import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { accessTokenHash, checkProof } from '../../src/identity/credentials/dpop/proof.ts';
import { signTokenRequest } from '../../src/identity/credentials/tokens/service.ts';
import { PROVIDER_NAMES } from '../../src/inbound/providers/names.ts';
import { SIGNATURE_STATUSES, SIGNATURE_REASONS } from '../../src/insight/inspectors/schema.ts';
import { DEFAULT_RETRY_POLICY, retryDelay } from '../../src/kernel/contract/retry-policy.ts';
import { HELD_REASONS } from '../../src/delivery/record/held.ts';
import { DEAD_LETTER_REASONS, ERROR_CLASSES } from '../../src/kernel/words/statuses.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { TIER_LIMITS } from '../../src/kernel/words/rights.ts';
import { routes } from '../../src/process/routes.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { RFC_9449_PROOF, RFC_9449_TIME } from '../support/make/dpop-proofs.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { blockWith, codeBlocksOf, readPage, tableRowsOf } from './code-blocks.ts';
import { replaceAll, runScript } from './shell.ts';

/** Pages whose commands run from top to bottom. The last one creates a second app, after which `keys create` needs `--app`. */
const PAGES = [
  'docs/tutorial/first-hour.md',
  'docs/guides/publish.md',
  'docs/guides/subscribe.md',
  'docs/guides/recover.md',
  'docs/guides/streams.md',
  'docs/guides/workflows.md',
  'docs/guides/connectors.md',
  'docs/guides/inbound-webhooks.md',
  'docs/guides/inspectors.md',
  'docs/guides/authenticate.md',
  'docs/reference/api-conventions.md',
  'docs/guides/manage-access.md',
];
/** Blocks that are not run here: the start of the service, and the generators of clients, which test/openapi/generators runs. */
const NOT_RUN = /^npm ci|^# (?:oapi-codegen|openapi-|datamodel-)/;
const RECEIVER = 'http://localhost:4000/';

const grouped = (value: number): string => value.toLocaleString('en');
const namesIn = (cells: readonly string[]): string[] =>
  cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name));
const proseOf = (page: string): string => readPage(page).replaceAll(/^```[^]*?^```$/gm, '');
const firstCells = (page: string, section: string): string[] => tableRowsOf(page, section).map(([cell = '']) => cell);

let posthorn: TestPosthorn;
let receiver: Receiver;
let proxy: TcpProxy;
/** PUBLIC_BASE_URL, which proofs of tokens name: the service really answers there. */
let base: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-guides-'));
  receiver = await startReceiver();
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  posthorn = await startPosthorn({ variables: { PUBLIC_BASE_URL: base } });
  proxy = await startTcpProxy(posthorn.url, port);
});
afterAll(async () => {
  await proxy.stop();
  await posthorn.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(PAGES)(
  'every command of %s succeeds, run from top to bottom',
  async (page) => {
    const script = codeBlocksOf(page)
      .filter(({ language, text }) => language === 'bash' && !NOT_RUN.test(text))
      .map(({ text }) => text)
      .join('\n');
    const { exitCode, output, errors } = await runScript(script, {
      replaced: {
        'URL=http://localhost:3000': `URL=${base}`,
        ...(script.includes(RECEIVER) && { [RECEIVER]: receiver.url }),
      },
      databaseUrl: posthorn.database.url,
      requestsPath: join(folder, 'requests'),
    });
    if (exitCode !== 0) throw new Error(`the page's commands end with ${exitCode}:\n${output.slice(-800)}\n${errors}`);
  },
  270_000,
);

test('the requests that the pages name are endpoints', () => {
  const known = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':id')}`);
  const named = PAGES.concat('docs/guides/dashboard.md', 'docs/reference/workflow-definition.md').flatMap((page) =>
    Array.from(proseOf(page).matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/v1\/[\w/{}:.-]*[\w}])/g), (match) => ({
      page,
      endpoint: `${match[1]} ${match[2]?.replaceAll(/\{\w+\}|:\w+/g, ':id')}`,
    })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ endpoint }) => !known.includes(endpoint))).toEqual([]);
});

describe('tables', () => {
  test('the limits of the tiers are those of the code', () => {
    expect(tableRowsOf('docs/reference/api-conventions.md', 'Rate limits')).toEqual(
      Object.entries(TIER_LIMITS).map(([tier, { requestsPerMinute, burst, concurrent, batchPerMinute }]) => [
        tier,
        ...[requestsPerMinute, burst, concurrent, batchPerMinute].map(grouped),
      ]),
    );
  });

  test('the timeline of attempts is that of the default retry policy', () => {
    const [block = ''] = codeBlocksOf('docs/guides/subscribe.md').flatMap(({ language, text }) =>
      language === 'text' ? [text] : [],
    );
    const retries = Array.from({ length: DEFAULT_RETRY_POLICY.maxRetries }, (_, index) => index + 1);
    const seconds = retries.map(
      (last) => retries.slice(0, last).reduce((sum, retry) => sum + retryDelay(DEFAULT_RETRY_POLICY, retry), 0) / 1_000,
    );
    const shown = (time: number): string => {
      const minutes = Math.floor(time / 60);
      if (time < 100) return `${time} s`;
      return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
    };
    expect(block.split('\n')[1]?.split(/ {2,}/)).toEqual(['after', '0', ...seconds.map(shown)]);
  });

  test('every reason of a dead letter or a hold, and every class of errors, is explained', () => {
    const page = 'docs/guides/recover.md';
    expect(namesIn(firstCells(page, 'Replay dead letters')).toSorted()).toEqual([...DEAD_LETTER_REASONS].toSorted());
    const named = namesIn(firstCells(page, 'Find out what happened'));
    expect([...ERROR_CLASSES, ...HELD_REASONS].filter((name) => !named.includes(name))).toEqual([]);
  });

  test('every provider of inbound webhooks has a row', () => {
    expect(namesIn(firstCells('docs/guides/inbound-webhooks.md', 'Known services'))).toEqual([...PROVIDER_NAMES]);
  });

  test('every verdict of an inspector, and every reason of a failed one, is explained', () => {
    const named = namesIn(firstCells('docs/guides/inspectors.md', 'Read the signature check'));
    expect(named.toSorted()).toEqual([...SIGNATURE_STATUSES, ...SIGNATURE_REASONS].toSorted());
  });
});

test('the settings of single sign-on are accepted', () => {
  const secrets = mkdtempSync(join(folder, 'secrets-'));
  writeFileSync(join(secrets, 'oidc_client_secret'), 'secret');
  const text = blockWith('docs/guides/manage-access.md', 'OIDC_ISSUER').replace('/run/secrets', secrets);
  const { OIDC_ROLES: roles } = parseEnv(text);
  expect(roles).toBe('ops=admin,staff=viewer');
  expect(() => readConfig(parseEnv(text))).not.toThrow();
});

describe('what the pages say about responses', () => {
  // Regression: the page said that every answer has the headers of the rate limit, and that lists have the order of making.
  test('all have a request id, those of probes have no rate limit, and a list begins with the newest item', async () => {
    const probe = await fetch(`${posthorn.url}/healthz`);
    expect([probe.headers.has('x-request-id'), probe.headers.has('x-ratelimit-limit')]).toEqual([true, false]);
    const missing = await fetch(`${posthorn.url}/nothing`);
    expect([missing.headers.has('x-request-id'), missing.headers.has('x-ratelimit-limit')]).toEqual([true, true]);
    const { body: first } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'first' });
    const { body: second } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'second' });
    const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', '/v1/channels?limit=2');
    expect(body.data.map(({ id }) => id)).toEqual([first.id, second.id].toSorted().toReversed());
  });

  test('the refusal of an unknown field is the one that is shown', async () => {
    const [example] = codeBlocksOf('docs/reference/api-conventions.md').filter(({ language }) => language === 'json');
    const { status, body } = await posthorn.request('POST', '/v1/channels', { name: 'orders', retention: 30 });
    expect([status, body]).toEqual([400, JSON.parse(example?.text ?? '')]);
  });

  test('requests to inbound webhooks become messages of the types that the page names', async () => {
    const { pool } = posthorn.deps;
    const { rows } = await pool.query<{ type: string }>(
      `SELECT m.event_type AS type FROM messages m JOIN channels c ON c.id = m.channel_id WHERE c.name = 'in' ORDER BY m.id`,
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'push',
      'order.created',
      'order.paid',
      'payment.large',
      'door.opened',
      '/deploy',
      '/rollback',
      'door.opened',
    ]);
  });
});

describe('docs/guides/receive.md', () => {
  const PAGE = 'docs/guides/receive.md';
  const blockOf = (language: string): string =>
    codeBlocksOf(PAGE).find((block) => block.language === language)?.text ?? '';
  const isInstalled = (command: string): boolean => spawnSync('which', [command]).status === 0;

  /** A request as the service signs it during a rotation, with the older secret, and its copy with one byte more. */
  async function signedRequest(): Promise<{ secret: string; request: ReceivedRequest }> {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: `${receiver.url}signed` });
    const { body } = await posthorn.request<{ secret: string }>('GET', `/v1/subscriptions/${id}/secret`);
    await posthorn.request('POST', `/v1/subscriptions/${id}/secret/rotate`, {});
    const { id: messageId } = await publish(posthorn, channelId, { payload: { name: 'Jürgen', total: 12.5 } });
    const found = (): ReceivedRequest | undefined =>
      receiver.requests.find(({ headers }) => headers['webhook-id'] === messageId);
    await waitFor('the signed request', () => found() !== undefined);
    const request = found();
    if (request === undefined) throw new Error('it has just been there');
    return { secret: body.secret, request };
  }

  test('the endpoint in Node accepts the request of the page once, and refuses it when it was changed', async () => {
    const port = await findFreePort();
    const file = join(folder, 'receiver.mjs');
    writeFileSync(file, replaceAll(blockOf('js'), { 'listen(4000)': `listen(${port})` }));
    const script = blockOf('bash');
    const secret = /^SECRET=(\S+)$/m.exec(script)?.[1] ?? '';
    const endpoint = spawn(process.execPath, [file], {
      env: { WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let printed = '';
      endpoint.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
      const send = (text: string): string =>
        execFileSync('bash', ['-c', replaceAll(text, { 'localhost:4000': `127.0.0.1:${port}` })], { encoding: 'utf8' });
      await waitFor('the endpoint', () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      );
      expect(send(script)).toMatch(/^HTTP\/1.1 204/);
      expect(send(script)).toMatch(/^HTTP\/1.1 204/);
      expect(send(script.replace('-d "$BODY"', '-d "$BODY "'))).toMatch(/^HTTP\/1.1 400/);
      expect(printed.trim().split('\n')).toHaveLength(1);
    } finally {
      endpoint.kill('SIGKILL');
    }
  });

  const GO_MAIN = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"posthorn.test/webhook"
)

func main() {
	var given struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	header := http.Header{}
	for name, value := range given.Headers {
		header.Set(name, value)
	}
	fmt.Println(webhook.Verify(given.Secret, header, []byte(given.Body)))
}
`;
  const PYTHON_MAIN = `
import json, sys
given = json.load(sys.stdin)
print(str(verify(given["secret"], given["headers"], given["body"].encode())).lower())
`;
  const PHP_MAIN = `
$given = json_decode(file_get_contents('php://stdin'), true);
echo verify($given['secret'], $given['headers'], $given['body']) ? 'true' : 'false';
`;

  /** Commands that verify the request on standard input with the code of the page, by language. */
  const LANGUAGES: Record<string, { command: string; prepare: () => string[] }> = {
    python: { command: 'python3', prepare: () => ['-c', blockOf('python') + PYTHON_MAIN] },
    go: {
      command: 'go',
      prepare: () => {
        const place = join(folder, 'go');
        mkdirSync(join(place, 'webhook'), { recursive: true });
        writeFileSync(join(place, 'go.mod'), 'module posthorn.test\n\ngo 1.21\n');
        writeFileSync(join(place, 'main.go'), GO_MAIN);
        writeFileSync(join(place, 'webhook', 'verify.go'), blockOf('go'));
        execFileSync('go', ['build', '-o', 'use', '.'], { cwd: place });
        return [join(place, 'use')];
      },
    },
    php: { command: 'php', prepare: () => ['-r', blockOf('php').replace('<?php\n', '') + PHP_MAIN] },
  };

  describe.each(Object.entries(LANGUAGES))('the code in %s', (_language, { command, prepare }) => {
    const testIfInstalled = isInstalled(command) ? test : test.skip;
    testIfInstalled(
      'verifies a request that the service has signed, and refuses changed ones',
      async () => {
        const { secret, request } = await signedRequest();
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const [first = '', ...rest] = prepare();
        const [program, ...options] = command === 'go' ? [first, ...rest] : [command, first, ...rest];
        const verify = (changed: object): string =>
          execFileSync(program, options, {
            input: JSON.stringify({ secret, headers, body: request.body, ...changed }),
            encoding: 'utf8',
          }).trim();
        expect(verify({})).toBe('true');
        const old = String(Number(headers['webhook-timestamp']) - 600);
        for (const changed of [
          { body: `${request.body} ` },
          { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
          { headers: { ...headers, 'webhook-timestamp': old } },
          { headers: {} },
        ])
          expect([changed, verify(changed)]).toEqual([changed, 'false']);
      },
      120_000,
    );
  });
});

describe('docs/reference/token-exchange.md', () => {
  const PAGE = 'docs/reference/token-exchange.md';

  test('the test vector has the values that the service computes', async () => {
    const rows = tableRowsOf(PAGE, 'Test vector').map(([, value = '']) => value.replaceAll('`', ''));
    const [secret = '', clientId = '', thumbprint, clientSecret, token = '', ath] = rows;
    const proof =
      codeBlocksOf(PAGE)
        .find(({ text }) => text.startsWith('eyJ'))
        ?.text.trim() ?? '';
    expect(proof).toBe(RFC_9449_PROOF);
    const target = { method: 'POST', uri: 'https://server.example.com/token' };
    expect((await checkProof([proof], target, { now: RFC_9449_TIME })).thumbprint).toBe(thumbprint);
    expect(signTokenRequest(secret, clientId, proof)).toBe(clientSecret);
    expect(accessTokenHash(token)).toBe(ath);
  });

  test('the page names every public endpoint of OAuth clients', () => {
    const open = routes.filter(
      ({ access, path, isOthers }) => access === 'public' && !path.startsWith('/v1/') && isOthers !== true,
    );
    expect(
      open.map(({ path }) => path).filter((path) => path.includes('oauth') && !readPage(PAGE).includes(path)),
    ).toEqual([]);
    expect(readPage(PAGE)).toContain('/.well-known/jwks.json');
  });
});
