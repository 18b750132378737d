import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { RFC_9449_PROOF } from '../../../../test/support/make/dpop-proofs.ts';
import { isSignedBy, signTokenRequest, readScope } from './service.ts';

const SECRET = 'ocs_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const SIGNED = 'v1.J6Ce1JX0RNxy9Y2GlzQ9SmTv0yAYzcZoSaK9N91Br98';

test('client_secret equals the test vector in docs/reference/token-exchange.md', () => {
  expect(signTokenRequest(SECRET, 'oac_test', RFC_9449_PROOF)).toBe(SIGNED);
  expect(isSignedBy(SECRET, 'oac_test', RFC_9449_PROOF, SIGNED)).toBe(true);
  const mac = createHmac('sha256', SECRET).update(`v1\noac_test\n${RFC_9449_PROOF}`).digest('base64url');
  expect(SIGNED).toBe(`v1.${mac}`);
});

test.each([
  ['the secret itself', SECRET, 'oac_test', RFC_9449_PROOF, SECRET],
  ['another secret', `${SECRET}A`, 'oac_test', RFC_9449_PROOF, SIGNED],
  ['another client', SECRET, 'oac_tesu', RFC_9449_PROOF, SIGNED],
  ['another proof', SECRET, 'oac_test', `${RFC_9449_PROOF}A`, SIGNED],
  ['a part of it', SECRET, 'oac_test', RFC_9449_PROOF, SIGNED.slice(0, -1)],
  ['nothing', SECRET, 'oac_test', RFC_9449_PROOF, ''],
  ['another version', SECRET, 'oac_test', RFC_9449_PROOF, SIGNED.replace('v1', 'v2')],
])('%s is not taken', (_, secret, clientId, proof, given) => {
  expect(isSignedBy(secret, clientId, proof, given)).toBe(false);
});

const granted = ['messages:write', 'channels:read'] as const;

test.each([
  [undefined, ['channels:read', 'messages:write']],
  ['', ['channels:read', 'messages:write']],
  ['messages:write', ['messages:write']],
  ['messages:write channels:read messages:write', ['channels:read', 'messages:write']],
])('%j asks for %j', (given, scopes) => {
  expect(readScope(given, granted)).toEqual(scopes);
});

test.each([
  ['a  b', /single spaces/],
  [' messages:write', /single spaces/],
  ['messages:write ', /single spaces/],
  ['messages:write\tchannels:read', /single spaces/],
  ['"', /single spaces/],
  ['dlq:write', /only scopes of this credential/],
  ['messages:write zebra', /only scopes of this credential/],
  ['__proto__', /only scopes of this credential/],
])('%j is refused', (given, reason) => {
  expect(readScope(given, granted)).toMatch(reason);
});
