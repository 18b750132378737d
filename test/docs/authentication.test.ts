import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accessTokenHash } from '../../src/identity/dpop/binding.ts';
import { checkProof } from '../../src/identity/dpop/proof.ts';
import { signTokenRequest } from '../../src/identity/tokens/client-secret.ts';
import { routes } from '../../src/routes.ts';
import { RFC_9449_PROOF, RFC_9449_TIME } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf, readPage, tableRowsOf } from './code-blocks.ts';

const PAGE = 'docs/authentication.md';
let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

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
