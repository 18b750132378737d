import { expect } from '@jest/globals';
import type { TestPosthorn } from '../service/posthorn.ts';
import type { Heard } from '../world/token-client.ts';
import { tableContents } from './table-contents.ts';

/** Status, code and OAuth error of a refusal in the envelope. */
export const refusalOf = ({ status, body }: Heard): unknown[] => [
  status,
  body.error?.code,
  body.error?.details?.oauthError,
];
export const INVALID_PROOF = [400, 'INVALID_REQUEST', 'invalid_dpop_proof'];
export const INVALID_CLIENT = [401, 'UNAUTHORIZED', 'invalid_client'];

/** Runs it and compares every table before and after. The key of access tokens is made at the first look. */
export async function expectUnchanged(posthorn: TestPosthorn, act: () => Promise<void>): Promise<void> {
  await posthorn.request('GET', '/.well-known/jwks.json');
  const before = await tableContents(posthorn.deps.pool);
  await act();
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}
