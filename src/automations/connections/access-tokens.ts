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

/** Another process renews meanwhile: longer than a provider may take. */
const PATIENCE_MS = 7_000;
const LOOK_EVERY_MS = 100;
/** Within the lease. */
const STORED_WITHIN_MS = 20_000;

/**
 * The credentials of a connection with an access token that is good for a while. `rejected` is one that the service has refused:
 * undefined where no other can be had. A renewal is waited for in `outside`. Throws StepFailed where a person must consent first, and
 * where the provider gives none.
 */
export type AccessTokens = (
  environmentId: string,
  id: string,
  asked: { outside: Outside; rejected?: string },
) => Promise<(ConnectionCredentials & { accessToken: string }) | undefined>;

/**
 * Many runs need a new token in the same moment, in several processes, and many providers take a refresh token once. So one process has
 * the right to ask, by a lease in the row, and all others wait for what it stores. A lock of PostgreSQL would hold a transaction, and a
 * connection of the pool for each that waits, as long as the provider takes; a lease that runs out needs nobody to give it back.
 */
export function createAccessTokens(deps: {
  pool: Pool;
  keyRing: KeyRing;
  sender: Send;
  clock: Dependencies['clock'];
  log: Dependencies['log'];
}): AccessTokens {
  const { pool, keyRing, clock } = deps;
  /** Calls of one process wait for one promise. */
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
    throw new StepFailed('TOKEN_UNAVAILABLE', `no new access token of ${id} came in time`, { canRetry: true });
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
    // Another process was faster.
    if (tokens === undefined || isGood(tokens)) return;
    const renewed = await askFor(deps, row, sealed);
    const until = performance.now() + STORED_WITHIN_MS;
    // The refresh token that was used may be good no more: the new one is lost where it is not stored.
    await untilReachable(
      () => store(deps, row, { used: tokens, renewed }),
      () => performance.now() > until,
    );
    isWritten = true;
  } finally {
    if (!isWritten) await endRenewal(pool, environmentId, id);
  }
}

/** New tokens; none where nothing is granted any more. Throws StepFailed where the provider may give some later. */
async function askFor(
  { sender, clock, log }: Renewing,
  { id, connectorId, environmentId }: TokenRow,
  { credentials, oauth }: Sealed,
): Promise<ProviderTokens | undefined> {
  const refreshToken = oauth?.tokens?.refreshToken;
  const auth = connectorOf(connectorId)?.auth;
  if (auth?.type !== 'oauth2')
    throw new StepFailed('CONNECTOR_MISSING', `this release has no connector ${connectorId} with access tokens`);
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
    'the provider renews the tokens of a connection no more: steps that use it fail until somebody authorizes it again',
  );
  return undefined;
}

/** Unless somebody has changed the connection meanwhile. */
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

/** A thousand attempts a minute write the time of use once. */
const NOTED_EVERY_MS = 60_000;

/**
 * Gives workers the credentials that a step names, and notes that they were used. Undefined where the environment has no such
 * connection. Throws StepFailed with CONNECTION_UNREADABLE for one whose key is not on the ring.
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
    throw new StepFailed('CONNECTION_UNREADABLE', `the credentials of ${row.id} cannot be opened; PATCH sets new ones`);
  }
}
