import { expect } from '@jest/globals';
import type { TestPosthorn } from '../service/posthorn.ts';
import type { Heard } from '../world/token-client.ts';
import { tableContents } from './table-contents.ts';

/** Returns status, code and OAuth error of a refusal in the envelope. */
export const refusalOf = ({ status, body }: Heard): unknown[] => [
  status,
  body.error?.code,
  body.error?.details?.oauthError,
];
export const INVALID_PROOF = [400, 'INVALID_REQUEST', 'invalid_dpop_proof'];
export const INVALID_CLIENT = [401, 'UNAUTHORIZED', 'invalid_client'];

/** Runs `act` and compares every table before and after. The first comparison also creates the signing key of access tokens. */
export async function expectUnchanged(posthorn: TestPosthorn, act: () => Promise<void>): Promise<void> {
  await posthorn.request('GET', '/.well-known/jwks.json');
  const before = await tableContents(posthorn.deps.pool);
  await act();
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}
