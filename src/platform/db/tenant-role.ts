import type { Client, Pool } from 'pg';
import { failureCodes } from './failures.ts';

/** The role that services use for control-plane work. Its rights are the policies of the migrations, and nothing else. */
export const TENANT_ROLE = 'posthorn_tenant';

/** What prevents the use of the role; null if nothing does. */
export type RoleGap =
  | null
  /** The role does not exist. */
  | 'role'
  /** The user of the connection may not switch to it. */
  | 'taking'
  /** The role is a superuser, bypasses row-level security, or has the rights of the tables' owner. */
  | 'unsafe'
  /** Policies are missing, or disabled on a table that has them. */
  | 'policies'
  /** The role lacks a right in this database, or has one that no policy names; `posthorn migrate` fixes that. */
  | 'rights';

// SQL: the policies of this schema as table rights; a policy for all commands counts as one for each.
const WANTED = `
  SELECT DISTINCT p.polrelid AS relation, CASE c.relname WHEN 'users' THEN 'COLUMNS' ELSE command END AS command
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  CROSS JOIN LATERAL unnest(CASE p.polcmd WHEN 'r' THEN ARRAY['SELECT'] WHEN 'a' THEN ARRAY['INSERT'] WHEN 'w' THEN ARRAY['UPDATE']
    WHEN 'd' THEN ARRAY['DELETE'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS command
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relrowsecurity`;

// SQL: the rights granted to the role itself on tables of this schema; columns of users are granted one by one.
const HELD = `
  SELECT c.oid AS relation, a.privilege_type AS command
  FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.grantee = to_regrole('${TENANT_ROLE}')
  UNION
  SELECT c.oid, 'COLUMNS' FROM pg_class c
  WHERE c.oid = to_regclass('users') AND has_column_privilege('${TENANT_ROLE}', c.oid, 'email', 'SELECT')`;

// SQL: rights that are missing, and rights that are granted but not wanted.
const DIFFERENCE = `
  SELECT relation::regclass::text AS table, command, NOT is_held AS "isLacking" FROM (
    SELECT coalesce(w.relation, h.relation) AS relation, coalesce(w.command, h.command) AS command,
      w.relation IS NOT NULL AS is_wanted, h.relation IS NOT NULL AS is_held
    FROM (${WANTED}) w FULL JOIN (${HELD}) h ON h.relation = w.relation AND h.command = w.command
  ) compared WHERE is_wanted <> is_held`;

// SQL: since version 16, a membership says separately whether the user may switch to the role.
const MAY_TAKE = `pg_has_role(current_user, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)`;
const IS_UNSAFE = `(r.rolsuper OR r.rolbypassrls OR EXISTS (
  SELECT FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE pg_has_role(r.oid, c.relowner, 'USAGE')))`;
const LOOK = `SELECT ${MAY_TAKE} AS "mayTake", ${IS_UNSAFE} AS "isUnsafe" FROM pg_roles r WHERE r.rolname = '${TENANT_ROLE}'`;

// SQL: tables of this schema whose policies are switched off.
const UNHEEDED = `
  SELECT FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND NOT c.relrowsecurity`;

// Without any policy, the migration that protects the tables is missing.
const RIGHTS = `
  SELECT EXISTS (${WANTED}) AND NOT EXISTS (${UNHEEDED}) AS "hasPolicies",
    has_schema_privilege('${TENANT_ROLE}', current_schema(), 'USAGE') AND NOT EXISTS (${DIFFERENCE}) AS "isComplete"`;

type Role = { mayTake: boolean; isUnsafe: boolean };
type Querying = Pick<Client, 'query'> | Pick<Pool, 'query'>;

/** Checks whether this database and its user are ready for the role, with two catalogue queries. */
export async function findRoleGap(db: Querying): Promise<RoleGap> {
  const [role] = (await db.query<Role>(LOOK)).rows;
  if (role === undefined) return 'role';
  if (!role.mayTake) return 'taking';
  if (role.isUnsafe) return 'unsafe';
  const [rights] = (await db.query<{ hasPolicies: boolean; isComplete: boolean }>(RIGHTS)).rows;
  if (rights?.hasPolicies !== true) return 'policies';
  return rights?.isComplete === true ? null : 'rights';
}

// A role belongs to all databases of a server, and migrations of two of them may create it at the same moment: one finds it already
// there, or its row changed concurrently (XX000, "tuple concurrently updated").
const MADE_MEANWHILE = ['42710', '23505', 'XX000'];
const TRIES = 5;
const MAY_NOT = '42501';

/**
 * Creates the role if it is missing, lets the user of `session` switch to it, and grants what the policies name. Runs after the
 * migrations, as the tables' owner. Returns the SQL that an administrator has to run if the user may not create roles, otherwise
 * nothing.
 */
export async function ensureTenantRole(session: Client): Promise<string[]> {
  const { rows } = await session.query<{ user: string; isInherited: boolean }>(
    `SELECT quote_ident(current_user) AS "user", current_setting('server_version_num')::int < 160000 AS "isInherited"`,
  );
  const make = `CREATE ROLE ${TENANT_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;`;
  // The user switches to the role for a transaction, and gets no rights from it otherwise.
  const how = rows[0]?.isInherited === true ? '' : ' WITH INHERIT FALSE, SET TRUE';
  const take = `GRANT ${TENANT_ROLE} TO ${rows[0]?.user ?? 'current_user'}${how};`;
  const restrain = `ALTER ROLE ${TENANT_ROLE} NOSUPERUSER NOBYPASSRLS;`;
  for (let count = 1; ; count += 1) {
    const role = (await session.query<Role>(LOOK)).rows[0];
    if (role?.isUnsafe === true) return [restrain];
    const steps = role === undefined ? [make, take] : role.mayTake ? [] : [take];
    try {
      const refused = await runUntilRefused(session, steps);
      return refused.length > 0 ? refused : await giveRights(session);
    } catch (failure) {
      const isMadeMeanwhile = failureCodes(failure).codes.some((code) => MADE_MEANWHILE.includes(code));
      if (!isMadeMeanwhile || count === TRIES) throw failure;
    }
  }
}

/** Runs the steps, and returns the rest from the first one that the user may not run. */
async function runUntilRefused(session: Client, steps: readonly string[]): Promise<string[]> {
  for (const [index, step] of steps.entries()) {
    try {
      await session.query(step);
    } catch (failure) {
      if (failureCodes(failure).codes.includes(MAY_NOT)) return steps.slice(index);
      throw failure;
    }
  }
  return [];
}

// Name and address of a user are visible to members of the same organisation, the password hash to nobody.
const COLUMNS_OF_USERS = '(id, email, name, created_at, updated_at)';

/** Writes only differences, so that another run writes nothing. Returns what the user may not write, which the owner of the tables may. */
async function giveRights(session: Client): Promise<string[]> {
  const { rows } = await session.query<{ change: string }>(
    `SELECT 'GRANT USAGE ON SCHEMA ' || quote_ident(current_schema()) || ' TO ${TENANT_ROLE};' AS change
     WHERE NOT has_schema_privilege('${TENANT_ROLE}', current_schema(), 'USAGE')`,
  );
  const left = await runUntilRefused(
    session,
    rows.map(({ change }) => change),
  );
  if (left.length > 0) return left;
  // Revoking a right on a table also revokes those on its columns, which are then granted again.
  for (const isLacking of [false, true]) {
    const differences = (await session.query<Difference>(DIFFERENCE)).rows.filter(
      (each) => each.isLacking === isLacking,
    );
    const refused = await runUntilRefused(session, differences.map(changeOf));
    if (refused.length > 0) return refused;
  }
  return [];
}

type Difference = { table: string; command: string; isLacking: boolean };

function changeOf({ table, command, isLacking }: Difference): string {
  const right = command === 'COLUMNS' ? `SELECT ${COLUMNS_OF_USERS}` : command;
  return isLacking
    ? `GRANT ${right} ON ${table} TO ${TENANT_ROLE};`
    : `REVOKE ${right} ON ${table} FROM ${TENANT_ROLE};`;
}
