import type { Pool } from 'pg';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { Clock } from '../../platform/dependencies.ts';
import type { OpenConnection } from '../engine/actions/connector-action.ts';
import { StepFailed } from '../engine/step-failure.ts';
import { connectorOf } from '../connectors/catalogue/catalogue.ts';
import { noteUse, readSealed } from './open-store.ts';
import type { AccessTokens } from './access-tokens.ts';
import { type ConnectionCredentials, openSealed } from './sealed.ts';

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
