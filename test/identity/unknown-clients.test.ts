import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createUsedProofs } from '../../src/identity/dpop/used-proofs.ts';
import { isSignedBy } from '../../src/identity/tokens/client-secret.ts';
import { createTokens, TOKEN_PATH } from '../../src/identity/tokens/service.ts';
import { createSigningKeys } from '../../src/identity/tokens/signing-keys.ts';
import { machineCredentialsOf } from '../support/make/credential-services.ts';
import { makeProof } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const WRONG = `v1.${'A'.repeat(43)}`;

test('a client that nobody knows costs the HMAC that a wrong secret costs, and comes to the same answer', async () => {
  const { deps } = posthorn;
  const compared: { secret: string; given: string }[] = [];
  const tokens = createTokens(deps, {
    machineCredentials: machineCredentialsOf(deps),
    signingKeys: createSigningKeys(deps),
    usedProofs: createUsedProofs(deps),
    isSigned: (secret, clientId, proof, given) => {
      compared.push({ secret, given });
      return isSignedBy(secret, clientId, proof, given);
    },
  });
  const [known, revoked, expired] = [await client.register(), await client.register(), await client.register()];
  await posthorn.request('DELETE', `/v1/machine-credentials/${revoked.id}`);
  await deps.db.machineCredential.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
  const key = await client.key();
  for (const client_id of [known.id, revoked.id, expired.id, `oac_01m${'0'.repeat(23)}`, 'oac_x', '']) {
    const proof = await makeProof(key, { method: 'POST', uri: deps.config.publicBaseUrl + TOKEN_PATH });
    let failures = 0;
    const refused = tokens.issue({
      body: { grant_type: 'client_credentials', client_id, client_secret: WRONG },
      proofs: [proof],
      countFailure: async () => void (failures += 1),
      visit: { address: '127.0.0.1', host: '', cookie: [] },
    });
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED', oauth: { error: 'invalid_client' } });
    expect([client_id, failures, compared.length]).toEqual([client_id, 1, 1]);
    const [{ secret, given } = { secret: '', given: '' }] = compared.splice(0);
    // An HMAC-SHA256 costs the same for every key of up to 64 bytes.
    expect([secret.length > 0 && secret.length <= 64, given]).toEqual([true, WRONG]);
  }
});
