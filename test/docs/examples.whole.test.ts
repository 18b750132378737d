import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROVIDER_NAMES } from '../../src/inbound/providers/names.ts';
import { accessTokenHash, checkProof } from '../../src/identity/credentials/dpop/proof.ts';
import { signTokenRequest } from '../../src/identity/credentials/tokens/service.ts';
import { SIGNATURE_STATUSES, SIGNATURE_REASONS } from '../../src/insight/inspectors/schema.ts';
import { routes } from '../../src/process/routes.ts';
import { RFC_9449_PROOF, RFC_9449_TIME } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf, readPage, tableRowsOf } from './code-blocks.ts';
import { runScript } from './shell.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('authentication', () => {
  const PAGE = 'docs/authentication.md';

  test('the numbers of the worked example are what the service computes', async () => {
    const rows = tableRowsOf(PAGE, 'A worked example').map(([, value = '']) => value.replaceAll('`', ''));
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

  test('the page names every endpoint of OAuth clients that is for everyone', () => {
    const open = routes
      .filter(({ access, path, isOthers }) => access === 'public' && !path.startsWith('/v1/') && isOthers !== true)
      .map(({ method, path, status }) => [method, `\`${path}\``, 'public', String(status)]);
    expect(tableRowsOf(PAGE, 'Keys and metadata')).toEqual(expect.arrayContaining(open));
  });

  test('the times of the page are those of the code', async () => {
    const { body } = await posthorn.request<{ keys: object[] }>('GET', '/.well-known/jwks.json', undefined, {
      key: null,
    });
    expect(body.keys).toHaveLength(1);
    const text = readPage(PAGE);
    for (const words of ['15 minutes', '120 s ago', '30 s ahead', '"expires_in": 900', '4,096 characters'])
      expect(text).toContain(words);
  });
});

describe('inbound webhooks', () => {
  const PAGE = 'docs/inbound-webhooks.md';

  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-inbound-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('the page names every provider', () => {
    const shown = tableRowsOf(PAGE, 'A known service').map(([name = '']) => name.replaceAll('`', ''));
    expect(shown.filter((name) => name !== 'Provider')).toEqual([...PROVIDER_NAMES]);
  });

  test('every request of the page is taken as it says, and becomes a message of its type', async () => {
    const script = codeBlocksOf(PAGE)
      .filter(({ language }) => language === 'bash')
      .map(({ text }) => text)
      .join('\n');
    const { exitCode, output, errors } = await runScript(script, {
      replaced: { 'URL=http://localhost:3000': `URL=${posthorn.url}` },
      databaseUrl: posthorn.database.url,
      requestsPath: join(folder, 'requests'),
    });
    if (exitCode !== 0) throw new Error(`the page's commands end with ${exitCode}:\n${output.slice(-800)}\n${errors}`);
    const rows = await posthorn.deps.db.message.findMany({ orderBy: { id: 'asc' }, select: { eventType: true } });
    expect(rows.map(({ eventType }) => eventType)).toEqual([
      'push',
      'order.created',
      'order.paid',
      'payment.large',
      'door.opened',
      '/deploy',
      'door.opened',
      '/rollback',
    ]);
  }, 270_000);
});

describe('inspect', () => {
  const PAGE = 'docs/inspect.md';

  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-inspect-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('the page names every verdict, and every reason of a failed one', () => {
    const shown = tableRowsOf(PAGE, 'The verdict').map(([name = '']) => name);
    const named = (words: readonly string[]): string[] => words.map((word) => `\`${word}\``).toSorted();
    const [verdicts, reasons] = [named(SIGNATURE_STATUSES), named(SIGNATURE_REASONS)];
    expect(shown.filter((name) => verdicts.includes(name) && name !== '`reason`').toSorted()).toEqual(verdicts);
    expect(shown.filter((name) => reasons.includes(name)).toSorted()).toEqual(reasons);
  });

  test('every request of the page is taken as it says', async () => {
    const script = codeBlocksOf(PAGE)
      .filter(({ language }) => language === 'bash')
      .map(({ text }) => text)
      .join('\n');
    const { exitCode, output, errors } = await runScript(script, {
      replaced: { 'URL=http://localhost:3000': `URL=${posthorn.url}` },
      databaseUrl: posthorn.database.url,
      requestsPath: join(folder, 'requests'),
    });
    if (exitCode !== 0) throw new Error(`the page's commands end with ${exitCode}:\n${output.slice(-800)}\n${errors}`);
    expect(output).toContain('/by/hand');
    expect(await posthorn.deps.db.inspector.count()).toBe(0);
  }, 270_000);
});
