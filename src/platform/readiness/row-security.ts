import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { findRoleGap, type RoleGap, TENANT_ROLE } from '../db/row-security/tenant-role.ts';
import { NotReady } from '../../kernel/errors.ts';
import type { ReadinessCheck } from './readiness.ts';

const REASONS: Record<NonNullable<RoleGap>, string> = {
  role: 'its role is missing',
  taking: 'the service has no right to take its role',
  unsafe: 'its role has rights that pass the policies',
  policies: 'a table has no policies in force',
  rights: 'the rights of its role are not those of the policies',
};

const ADVICE: Record<NonNullable<RoleGap>, string> = {
  role: `there is no role ${TENANT_ROLE}; run \`posthorn migrate\`, which makes it or prints the SQL for an administrator`,
  taking: `the user of DATABASE_URL may not take the role ${TENANT_ROLE}; run \`posthorn migrate\`, which allows it or prints the SQL for an administrator`,
  unsafe: `the role ${TENANT_ROLE} is a superuser, has BYPASSRLS or the rights of the tables' owner; take them away from it`,
  policies: `tables have no policies, or row-level security is disabled on them; run \`posthorn migrate\`, and enable it where it was disabled`,
  rights: `the rights of the role ${TENANT_ROLE} in this database are not those of the migrations; run \`posthorn migrate\` as the owner of the tables`,
};

/** Row-level security holds what callers ask for (docs/security.md, Tenants). Without it the service works on its queries alone. */
export const rowSecurityCheck = (pool: Pool): ReadinessCheck => ({
  name: 'rowSecurity',
  isRequired: false,
  needs: 'schema',
  async run() {
    const gap = await findRoleGap(pool);
    if (gap !== null) throw new NotReady(`Row-level security is off: ${REASONS[gap]}`, { advice: ADVICE[gap] });
  },
});

/** Tells the operator at the start, where it is off. */
export async function tellRowSecurity({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const gap = await findRoleGap(pool);
  if (gap !== null) log.warn(`row-level security is off: ${ADVICE[gap]}`);
}
