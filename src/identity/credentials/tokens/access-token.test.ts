import { expect, test } from '@jest/globals';
import { generateKeyPair } from 'jose';
import { createTokenReader, signAccessToken, TOKEN_SECONDS } from './access-token.ts';

const issuer = 'https://posthorn.example';
const madeAt = new Date('2026-01-31T12:00:00Z');

test('a token is valid until 30 s after it expires and no longer, whether cached or not', async () => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const text = await signAccessToken({ kid: 'k', key: privateKey }, issuer, {
    jti: 'j',
    clientId: 'oac_1',
    epoch: 1,
    secretId: 'mcs_1',
    organisationId: 'org_1',
    appId: 'app_1',
    environmentId: 'env_1',
    scopes: ['messages:write'],
    thumbprint: 't',
    now: madeAt,
    lifeSeconds: TOKEN_SECONDS,
  });
  const moments = [0, TOKEN_SECONDS - 1, TOKEN_SECONDS + 29, TOKEN_SECONDS + 30];
  let now = madeAt;
  const newReader = () => createTokenReader({ issuer, clock: () => now, verifier: async () => publicKey });
  const read = newReader();
  for (const [index, seconds] of moments.entries()) {
    now = new Date(madeAt.getTime() + seconds * 1_000);
    const isTaken = index < 3;
    expect([seconds, await read.read(text), await newReader().read(text)]).toEqual([
      seconds,
      ...[0, 1].map(() => (isTaken ? expect.objectContaining({ id: 'oac_1' }) : undefined)),
    ]);
  }
});
