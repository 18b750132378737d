import { createPublicKey, generateKeyPairSync, verify, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSigningSecret, readSigningKey, signatureHeader, createSenderProofs } from './sign.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const VECTOR = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
};
const V1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const V1A = 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==';
// The published test pair of Standard Webhooks: it signs nothing but vectors.
const PAIR_SECRET = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
const PUBLIC_KEY = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';

const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether an Ed25519 signature of a request verifies with a whpk_ key. */
function verifies(publicKey: string, { id, timestamp, body }: typeof VECTOR, signature: string): boolean {
  const raw = Buffer.from(publicKey.slice('whpk_'.length), 'base64');
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return verify(null, signed, key, Buffer.from(signature.replace(/^v1a,/, ''), 'base64'));
}

function newKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    seedSecret: `whsk_${seed.toString('base64')}`,
    pairSecret: `whsk_${Buffer.concat([seed, point]).toString('base64')}`,
    mismatchedSecret: `whsk_${Buffer.concat([seed, Buffer.alloc(32, 7)]).toString('base64')}`,
    publicKey: `whpk_${point.toString('base64')}`,
  };
}

describe('v1', () => {
  test('reproduces the vector of Standard Webhooks', () => {
    expect(signatureHeader({ keys: [readSigningKey(SECRET)], ...VECTOR })).toBe(V1);
  });

  test('an independent library verifies what a new secret signs, whatever the bytes of the body', () => {
    const secret = newSigningSecret();
    const timestamp = Math.floor(Date.now() / 1_000);
    for (const text of ['', '{}', '{"é":"日本 \\u0000","n":12345678901234567890,"m":1.10}']) {
      const body = Buffer.from(text);
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': `${timestamp}`,
        'webhook-signature': signatureHeader({ keys: [readSigningKey(secret)], id: 'msg_1', timestamp, body }),
      };
      expect(() => new Webhook(secret).verify(text, headers)).not.toThrow();
      expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow();
      expect(() => new Webhook(newSigningSecret()).verify(text, headers)).toThrow();
    }
  });

  test('a body that is not UTF-8 is signed byte for byte', () => {
    const one = signatureHeader({ keys: [readSigningKey(SECRET)], ...VECTOR, body: Buffer.from([0xff]) });
    const other = signatureHeader({ keys: [readSigningKey(SECRET)], ...VECTOR, body: Buffer.from([0xfe]) });
    expect(one).not.toBe(other);
  });
});

describe('v1a', () => {
  test('the vector of Standard Webhooks is reproduced, and verifies with its public key for no other body', () => {
    expect(signatureHeader({ keys: [readSigningKey(PAIR_SECRET)], ...VECTOR })).toBe(V1A);
    expect(verifies(PUBLIC_KEY, VECTOR, V1A)).toBe(true);
    expect(verifies(PUBLIC_KEY, { ...VECTOR, body: Buffer.from('{}') }, V1A)).toBe(false);
  });

  test('a seed, and a seed with its public key, give the same signature, which verifies', () => {
    const { seedSecret, pairSecret, publicKey } = newKeyPair();
    const signature = signatureHeader({ keys: [readSigningKey(seedSecret)], ...VECTOR });
    expect(signature).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
    expect(signatureHeader({ keys: [readSigningKey(pairSecret)], ...VECTOR })).toBe(signature);
    expect(verifies(publicKey, VECTOR, signature)).toBe(true);
    expect(verifies(PUBLIC_KEY, VECTOR, signature)).toBe(false);
  });

  test('a public key that does not match the seed is rejected', () => {
    expect(() => signatureHeader({ keys: [readSigningKey(newKeyPair().mismatchedSecret)], ...VECTOR })).toThrow(
      'does not match',
    );
  });
});

test('several secrets give several signatures, in their order, separated by one space', () => {
  const old = newSigningSecret();
  const { seedSecret } = newKeyPair();
  const header = signatureHeader({
    keys: [readSigningKey(SECRET), readSigningKey(old), readSigningKey(seedSecret)],
    ...VECTOR,
  });
  const parts = [SECRET, old, seedSecret].map((secret) =>
    signatureHeader({ keys: [readSigningKey(secret)], ...VECTOR }),
  );
  expect(header).toBe(parts.join(' '));
  expect(parts[0]).toBe(V1);
});

test('a new secret is whsec_ and 32 random bytes', () => {
  const secrets = Array.from({ length: 50 }, newSigningSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(50);
});

describe('an invalid secret is rejected without being repeated', () => {
  const ofBytes = (prefix: string, length: number) => `${prefix}${Buffer.alloc(length, 1).toString('base64')}`;
  test.each([
    ['no prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['another prefix', 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4='],
    ['not base64', 'whsec_MfKQ9r8GKYqrTwjU*D8ILPZIo2LaLaSw'],
    ['base64url', 'whsec_MfKQ9r8GKYqrTwjU-D8ILPZIo2LaLaSw'],
    ['a key of 23 bytes', ofBytes('whsec_', 23)],
    ['a key of 65 bytes', ofBytes('whsec_', 65)],
    ['no key', 'whsec_'],
    ['a seed of 31 bytes', ofBytes('whsk_', 31)],
    ['a pair of 63 bytes', ofBytes('whsk_', 63)],
  ])('%s', (_what, secret) => {
    const attempt = () => signatureHeader({ keys: [readSigningKey(SECRET), readSigningKey(secret)], ...VECTOR });
    expect(attempt).toThrow();
    expect(attempt).not.toThrow(secret.slice(-12) || 'whsec_');
  });
});

describe('a request whose signature would be ambiguous is rejected', () => {
  test.each([
    ['an id with a dot', { id: 'msg.1' }],
    ['no id', { id: '' }],
    ['a fraction of a second', { timestamp: 1.5 }],
    ['a negative time', { timestamp: -1 }],
    ['no secret', { keys: [] }],
  ])('%s', (_what, change) => {
    expect(() => signatureHeader({ keys: [readSigningKey(SECRET)], ...VECTOR, ...change })).toThrow();
  });
});

const [newer, older] = [randomBytes(32), randomBytes(32)];
const proofsBy = (...keys: Buffer[]) => createSenderProofs({ derive: () => keys });

test('a proof names its sender to every process that has its key, even after a newer one', () => {
  const value = proofsBy(older).of('sub_1');
  expect(proofsBy(newer, older).senderOf(value)).toBe('sub_1');
  expect(proofsBy(newer).senderOf(value)).toBeUndefined();
});

test.each(['', '.', 'sub_1', 'sub_1.', `sub_1.${'A'.repeat(43)}`, 'é.ü'])('%j proves nothing', (value) => {
  expect(proofsBy(newer).senderOf(value)).toBeUndefined();
});

test('a proof of one sender is not valid for another', () => {
  const proofs = proofsBy(newer);
  const [, mac] = proofs.of('sub_1').split('.');
  expect(proofs.senderOf(`sub_2.${mac}`)).toBeUndefined();
});
