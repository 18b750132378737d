import type { Pool } from 'pg';
import type { Config } from '../config/config.ts';
import { EncryptionKeyError, proveKeys } from '../credentials/encryption-keys.ts';
import { failureCodes } from '../db/failures.ts';
import { DroppedSettingsError, HAS_OWN_SETTINGS } from '../db/connection.ts';
import { isContracting, migrationNames, SELECT_APPLIED, whyRefused } from '../db/migrations/migrations.ts';
import { NotReady } from '../../kernel/errors.ts';
import { databaseSetting, databaseTrouble } from './database-trouble.ts';
import type { ReadinessCheck } from './readiness.ts';
import type { Logger } from 'pino';
import { findRoleGap, type RoleGap, TENANT_ROLE } from '../db/tenant-role.ts';

export type CheckedBy = { pool: Pool; config: Pick<Config, 'databaseUrl' | 'pooledDatabaseUrl' | 'encryptionKeys'> };

// SQLSTATE undefined_table.
const NO_SUCH_TABLE = '42P01';

/** Checks of every command before it is ready, and of /readyz from then on. The later checks need the database that the first one finds. */
export const startChecks = (deps: CheckedBy): ReadinessCheck[] => [
  databaseCheck(deps),
  schemaCheck(deps, migrationNames()),
  keysCheck(deps),
  rowSecurityCheck(deps.pool),
];

/** The database responds and accepts writes, unlike a standby or a read-only one. */
export function databaseCheck({ pool, config }: CheckedBy): ReadinessCheck {
  const setting = databaseSetting(config);
  return {
    name: 'database',
    isRequired: true,
    async run() {
      const state = await pool
        .query<{ isStandby: boolean; isReadOnly: boolean; isOwn: boolean }>(
          `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
             ${HAS_OWN_SETTINGS} AS "isOwn"`,
        )
        .then(({ rows }) => rows[0])
        .catch((failure: unknown) => {
          throw databaseTrouble(failure, config) ?? failure;
        });
      if (state?.isOwn === false) {
        const dropped = new DroppedSettingsError();
        throw databaseTrouble(dropped, config) ?? dropped;
      }
      if (state?.isStandby === true)
        throw new NotReady('The database is a read-only standby', {
          advice: `${setting}: this PostgreSQL is a standby and accepts no writes; use the primary, or promote it`,
        });
      if (state?.isReadOnly === true)
        throw new NotReady('The database is read-only', {
          advice: `${setting}: this database is read-only; set default_transaction_read_only to off there`,
        });
    },
  };
}

/**
 * The database has the migrations of this release. Those of a newer release are fine, unless their name says that they remove something
 * (db/migrations/migrations.ts).
 */
export function schemaCheck({ pool, config }: CheckedBy, wanted: readonly string[]): ReadinessCheck {
  return {
    name: 'schema',
    isRequired: true,
    needs: 'database',
    async run() {
      const applied = await findApplied(pool).catch((failure: unknown): string[] => {
        if (failureCodes(failure).codes.includes(NO_SUCH_TABLE)) return [];
        throw databaseTrouble(failure, config) ?? failure;
      });
      const missing = wanted.filter((name) => !applied.includes(name));
      const refusal = whyRefused(applied);
      if (missing.length > 0)
        throw new NotReady(`The database lacks ${listOf(missing)} of this release`, {
          advice: refusal ?? `the database lacks ${listOf(missing)} of this release; run \`posthorn migrate\``,
          isLasting: refusal !== undefined,
        });
      const contracting = applied.filter((name) => !wanted.includes(name) && isContracting(name));
      if (contracting.length > 0)
        throw new NotReady(
          `The database was migrated to a newer release that this one cannot use (${listOf(contracting)})`,
          {
            advice: `the database was migrated to a newer release that this one cannot use (${listOf(contracting)}); upgrade this process to that release`,
            isLasting: true,
          },
        );
    },
  };
}

/**
 * The encryption keys are those that the database was encrypted with. Verified once, because the keys of this process do not change,
 * and verifying reads every encrypted row. Concurrent callers wait for the same run.
 */
function keysCheck({ pool, config }: CheckedBy): ReadinessCheck {
  let proof: Promise<void> | undefined;
  const prove = async (): Promise<void> => {
    try {
      await proveKeys(pool, config.encryptionKeys);
    } catch (failure) {
      proof = undefined;
      if (failure instanceof EncryptionKeyError)
        throw new NotReady('The encryption keys do not match the database', {
          advice: failure.message,
          isLasting: true,
        });
      throw databaseTrouble(failure, config) ?? failure;
    }
  };
  return {
    name: 'encryptionKeys',
    isRequired: true,
    needs: 'schema',
    run: () => (proof ??= prove()),
  };
}

async function findApplied(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(SELECT_APPLIED);
  return rows.map(({ name }) => name);
}

const listOf = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? `migration ${first}` : `migration ${first} and ${more.length} more`;

const REASONS: Record<NonNullable<RoleGap>, string> = {
  role: 'its role is missing',
  taking: 'the service may not switch to its role',
  unsafe: 'its role has rights that bypass the policies',
  policies: 'a table has no active policies',
  rights: 'the rights of its role differ from the policies',
};

const ADVICE: Record<NonNullable<RoleGap>, string> = {
  role: `there is no role ${TENANT_ROLE}; run \`posthorn migrate\`, which creates it or prints the SQL for an administrator`,
  taking: `the user of DATABASE_URL may not switch to the role ${TENANT_ROLE}; run \`posthorn migrate\`, which allows it or prints the SQL for an administrator`,
  unsafe: `the role ${TENANT_ROLE} is a superuser, has BYPASSRLS or the rights of the tables' owner; revoke them`,
  policies: `tables have no policies, or row-level security is disabled on them; run \`posthorn migrate\`, and enable it again if it was disabled`,
  rights: `the rights of the role ${TENANT_ROLE} in this database differ from the migrations; run \`posthorn migrate\` as the owner of the tables`,
};

/** Row-level security enforces tenant isolation for what callers request (decision 37). Without it, only the service's own queries do. */
export const rowSecurityCheck = (pool: Pool): ReadinessCheck => ({
  name: 'rowSecurity',
  isRequired: false,
  needs: 'schema',
  async run() {
    const gap = await findRoleGap(pool);
    if (gap !== null) throw new NotReady(`Row-level security is off: ${REASONS[gap]}`, { advice: ADVICE[gap] });
  },
});

/** Warns the operator at the start if it is off. */
export async function tellRowSecurity({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const gap = await findRoleGap(pool);
  if (gap !== null) log.warn(`row-level security is off: ${ADVICE[gap]}`);
}
