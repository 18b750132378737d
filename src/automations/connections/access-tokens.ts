import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { untilReachable } from '../../platform/db/failures.ts';
import type { Outside } from '../../platform/crashes/crash-guard.ts';
import type { Dependencies, Clock } from '../../platform/dependencies.ts';
import { connectorOf } from '../connectors/catalogue/catalogue.ts';
import { StepFailed } from '../engine/step-failure.ts';
import {
  readSealed,
  claimRenewal,
  endRenewal,
  lockTokens,
  type TokenRow,
  writeTokens,
  noteUse,
} from './token-store.ts';
import { type ConnectionCredentials, openSealed, type Sealed, sealConnection, type ProviderTokens } from './sealed.ts';
import { AuthorizationServerError, renew, type Send } from './provider.ts';
import type { OpenConnection } from '../engine/actions/connector-action.ts';

/** How long to wait while another process renews; longer than a provider may take. */
const PATIENCE_MS = 7_000;
const LOOK_EVERY_MS = 100;
/** Must be within the lease. */
const STORED_WITHIN_MS = 20_000;

/**
 * Returns the credentials of a connection with an access token that stays valid for a while. If `rejected` was refused
 * by the service, returns undefined if there is no other token. Waits for a renewal inside `outside`. Throws StepFailed
 * if a person must give consent first, or if the provider does not return a token.
 */
export type AccessTokens = (
  environmentId: string,
  id: string,
  asked: { outside: Outside; rejected?: string },
) => Promise<(ConnectionCredentials & { accessToken: string }) | undefined>;

/**
 * Many runs, in several processes, can need a new token at the same moment, but many providers accept a refresh token
 * only once. One process therefore gets a lease in the row and requests the token, and all others wait for the result.
 * A PostgreSQL lock would hold a transaction, and a connection for each waiting process, as long as the provider takes;
 * a lease expires without having to be released.
 */
export function createAccessTokens(deps: {
  pool: Pool;
  keyRing: KeyRing;
  sender: Send;
  clock: Dependencies['clock'];
  log: Dependencies['log'];
}): AccessTokens {
  const { pool, keyRing, clock } = deps;
  /** Concurrent calls in one process share one promise. */
  const renewals = new Map<string, Promise<void>>();

  const renewOnce = (environmentId: string, id: string, isGood: (tokens: ProviderTokens) => boolean): Promise<void> => {
    const known = renewals.get(id);
    if (known !== undefined) return known;
    const renewal = renewHeld(deps, environmentId, { id, isGood }).finally(() => renewals.delete(id));
    renewals.set(id, renewal);
    return renewal;
  };

  return async (environmentId, id, { outside, rejected }) => {
    const isGood = ({ accessToken, renewAt }: ProviderTokens): boolean =>
      accessToken !== rejected && (renewAt === undefined || clock() < new Date(renewAt));
    const until = performance.now() + PATIENCE_MS;
    do {
      const row = await readSealed(pool, environmentId, id);
      if (row === undefined)
        throw new StepFailed(
          'CONNECTION_MISSING',
          `the environment has no connection ${id}, and none is shared with it`,
        );
      const { credentials, oauth } = openSealed(keyRing, row);
      const tokens = oauth?.tokens;
      if (tokens === undefined) throw unauthorized(id);
      if (isGood(tokens)) return { ...credentials, accessToken: tokens.accessToken };
      if (tokens.refreshToken === undefined && tokens.accessToken === rejected) return undefined;
      await outside(() => renewOnce(environmentId, id, isGood));
    } while (performance.now() < until);
    throw new StepFailed('TOKEN_UNAVAILABLE', `the access token of ${id} was not renewed in time`, { canRetry: true });
  };
}

type Renewing = Parameters<typeof createAccessTokens>[0];

/** Renews tokens, or waits a moment while another process does. */
async function renewHeld(
  deps: Renewing,
  environmentId: string,
  { id, isGood }: { id: string; isGood: (tokens: ProviderTokens) => boolean },
): Promise<void> {
  const { pool, keyRing } = deps;
  const row = await claimRenewal(pool, environmentId, id);
  if (row === undefined) {
    await sleep(LOOK_EVERY_MS);
    return;
  }
  let isWritten = false;
  try {
    const sealed = openSealed(keyRing, row);
    const tokens = sealed.oauth?.tokens;
    // Another process has already renewed the tokens.
    if (tokens === undefined || isGood(tokens)) return;
    const renewed = await askFor(deps, row, sealed);
    const until = performance.now() + STORED_WITHIN_MS;
    // The old refresh token may no longer be valid, so the new one would be lost if it were not stored.
    await untilReachable(
      () => store(deps, row, { used: tokens, renewed }),
      () => performance.now() > until,
    );
    isWritten = true;
  } finally {
    if (!isWritten) await endRenewal(pool, environmentId, id);
  }
}

/**
 * Requests new tokens; returns undefined if the grant was revoked. Throws StepFailed if the provider may return tokens
 * later.
 */
async function askFor(
  { sender, clock, log }: Renewing,
  { id, connectorId, environmentId }: TokenRow,
  { credentials, oauth }: Sealed,
): Promise<ProviderTokens | undefined> {
  const refreshToken = oauth?.tokens?.refreshToken;
  const auth = connectorOf(connectorId)?.auth;
  if (auth?.type !== 'oauth2')
    throw new StepFailed(
      'CONNECTOR_MISSING',
      `this release does not have a connector ${connectorId} with access tokens`,
    );
  try {
    if (refreshToken !== undefined) return await renew({ sender, auth, credentials, now: clock() }, refreshToken);
  } catch (error) {
    if (!(error instanceof AuthorizationServerError)) throw error;
    const { refusal, message } = error;
    if (refusal === 'unreachable') throw new StepFailed('TOKEN_UNAVAILABLE', message, { canRetry: true });
    if (refusal !== 'revoked') throw new StepFailed('TOKEN_REFUSED', message);
  }
  log.warn(
    { connectionId: id, connectorId, environmentId },
    'the provider no longer renews the tokens of a connection: steps that use it fail until a person authorizes it again',
  );
  return undefined;
}

/** Does nothing if the connection was changed in the meantime. */
const store = (
  { pool, keyRing }: Renewing,
  { environmentId, id }: TokenRow,
  { used, renewed }: { used: ProviderTokens; renewed: ProviderTokens | undefined },
): Promise<void> =>
  inTransaction(pool, async (connection) => {
    const row = await lockTokens(connection, environmentId, id);
    if (row === undefined) return;
    const { credentials, oauth } = openSealed(keyRing, row);
    const isSame = oauth?.tokens?.accessToken === used.accessToken;
    const { tokens: _, ...others } = oauth ?? {};
    const tokens = isSame ? renewed : oauth?.tokens;
    const sealed = { credentials, oauth: { ...others, ...(tokens && { tokens }) } };
    const ciphertext = sealConnection(keyRing, id, sealed);
    await writeTokens(connection, row, { ciphertext, hasTokens: tokens !== undefined });
  });

const unauthorized = (id: string): StepFailed =>
  new StepFailed('CONNECTION_UNAUTHORIZED', `${id} must be authorized first: POST /v1/connections/${id}/authorize`);

/** Writes the time of use at most once a minute, however many attempts there are. */
const NOTED_EVERY_MS = 60_000;

/**
 * Returns the credentials that a step uses, and records the use. Undefined if the environment does not have the
 * connection. Throws StepFailed with CONNECTION_UNREADABLE if they cannot be decrypted.
 */
export const createOpenConnection =
  ({
    pool,
    keyRing,
    clock,
    accessTokens,
  }: {
    pool: Pool;
    keyRing: KeyRing;
    clock: Clock;
    accessTokens: AccessTokens;
  }): OpenConnection =>
  async (environmentId, id, outside) => {
    const row = await readSealed(pool, environmentId, id);
    if (row === undefined) return undefined;
    const now = clock();
    const unlessSince = new Date(now.getTime() - NOTED_EVERY_MS);
    if (row.lastUsedAt === null || row.lastUsedAt < unlessSince) await noteUse(pool, row, { now, unlessSince });
    const { connectorId, ownerId } = row;
    const credentials = opened(keyRing, row);
    if (connectorOf(connectorId)?.auth.type !== 'oauth2') return { connectorId, credentials };
    return {
      connectorId,
      credentials: (await accessTokens(ownerId, id, { outside })) ?? credentials,
      renewed: (rejected) => accessTokens(ownerId, id, { outside, rejected }),
    };
  };

function opened(keyRing: KeyRing, row: { id: string; ciphertext: string }): ConnectionCredentials {
  try {
    return openSealed(keyRing, row).credentials;
  } catch {
    throw new StepFailed(
      'CONNECTION_UNREADABLE',
      `the credentials of ${row.id} cannot be decrypted; set new ones with PATCH`,
    );
  }
}
