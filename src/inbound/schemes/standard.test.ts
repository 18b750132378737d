import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { checkStandard } from './standard.ts';

const now = new Date(1_700_000_000_000);
const pairs = Array.from({ length: 4 }, () => generateKeyPairSync('ed25519'));
const publicKeys = pairs.map(
  ({ publicKey }) => `whpk_${publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`,
);
const content = Buffer.from('{}');
const signed = Buffer.concat([Buffer.from('msg_1.1700000000.'), content]);
const check = (signatures: readonly string[], secrets: readonly string[]) => () =>
  checkStandard({ id: 'msg_1', timestamp: '1700000000', signatures: signatures.join(' '), content }, secrets, now);

// Each check hashes the whole body, which may be 1 MiB of a stranger.
test('checks at most two asymmetric signatures against four public keys', () => {
  const wrong = `v1a,${Buffer.alloc(64).toString('base64')}`;
  for (const { privateKey } of pairs) {
    const right = `v1a,${sign(null, signed, privateKey).toString('base64')}`;
    expect(check([wrong, right], publicKeys)).not.toThrow();
    expect(check([wrong, wrong, right], publicKeys)).toThrow('there are more than 2 signatures of version v1a');
  }
  const [first = ''] = publicKeys;
  expect(check(Array(8).fill(wrong), [first])).toThrow('no signature matches one of the secrets');
  expect(check(Array(9).fill(wrong), [first])).toThrow('more than 8 signatures');
  expect(check([wrong], ['whsec_c2VjcmV0'])).toThrow('no signature matches one of the secrets');
});
