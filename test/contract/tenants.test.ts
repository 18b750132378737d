import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Services that have the engine's connections, which row-level security does not hold. All others ask PostgreSQL through `tenants`. Each
 * line says why.
 */
const WITH_THE_ENGINE: Record<string, string> = {
  'src/automations/engine/context.ts': 'part of a worker: a run names its environment',
  'src/automations/engine/rounds.ts': 'part of a worker: a run names its environment',
  'src/automations/engine/take-step.ts': 'part of a worker: a run names its environment',
  'src/automations/runs/service.ts': 'wakes workers and reaches Temporal; callers go through tenants',
  'src/automations/schedules/begin.ts': 'a worker, for a schedule of Temporal’s',
  'src/automations/schedules/sync.ts': 'a worker, for all environments',
  'src/automations/starting/ended-in-temporal.ts': 'part of a worker: runs of all tenants',
  'src/automations/starting/reconcile.ts': 'part of a worker: runs of all tenants',
  'src/automations/starting/starting-loop.ts': 'part of a worker: runs of all tenants',
  'src/automations/connections/access-tokens.ts': 'a run or a caller has named its environment',
  'src/automations/connections/authorizations.ts': 'a browser is no tenant: its state names the connection',
  'src/automations/approvals/service.ts': 'wakes workers; callers go through tenants',
  'src/automations/engine/waits/arrivals/arrived.ts': 'part of a worker: a message names its environment',
  'src/automations/engine/waits/arrivals/verdicts.ts': 'part of a worker: messages of the environment of a run',
  'src/automations/engine/waits/look-back.ts': 'part of a worker: a run names its environment',
  'src/automations/gates/admit.ts': 'part of a worker: a run names its environment',
  'src/automations/gates/gates.ts': 'part of a worker: gates of runs of all tenants',
  'src/automations/waking/route-heard.ts': 'part of a worker: notes of messages of all tenants',
  'src/automations/connections/open-connection.ts': 'part of a worker: a run names its environment',
  'src/automations/workflow-secrets/open-secrets.ts': 'part of a worker: a run names its environment',
  'src/automations/inbound/receive.ts': 'a service that sends is no tenant: the webhook names the environment',
  'src/installation/service.ts': 'the service itself belongs to no tenant; the first organisation alone sees it',
  'src/inspectors/receive.ts': 'a sender is no tenant: the inspector names the environment',
  'src/inspectors/service.ts': 'gives them to receive.ts; callers go through tenants',
  'src/idempotency/kept-answers.ts': 'answers to publishes, in groups of several tenants',
  'src/identity/accounts/devices.ts': 'a person belongs to no tenant',
  'src/identity/accounts/password-reset.ts': 'a person belongs to no tenant',
  'src/identity/accounts/service.ts': 'a person belongs to no tenant',
  'src/identity/accounts/setup.ts': 'a person belongs to no tenant',
  'src/identity/accounts/tries.ts': 'a person belongs to no tenant',
  'src/identity/api-keys/known-keys.ts': 'who is calling is not known yet',
  'src/identity/api-keys/service.ts': 'the command line; callers go through tenants',
  'src/identity/apps/service.ts':
    'an app is made and changed with both of its environments; reading goes through tenants',
  'src/identity/audit/service.ts': 'the command line; callers go through tenants',
  'src/identity/dpop/used-proofs.ts': 'proofs belong to no tenant',
  'src/identity/factors/service.ts': 'a person belongs to no tenant',
  'src/identity/machine-credentials/known-credentials.ts': 'who is calling is not known yet',
  'src/identity/machine-credentials/service.ts': 'the token endpoint and the command line; callers go through tenants',
  'src/identity/members/invitations.ts':
    'an invitation is accepted by somebody who is no member yet; reading goes through tenants',
  'src/identity/members/service.ts': 'changes reach sessions and codes of people; reading goes through tenants',
  'src/identity/organisations/service.ts': 'organisations of a person; callers go through tenants',
  'src/identity/passkeys/challenges.ts': 'a person belongs to no tenant',
  'src/identity/passkeys/service.ts': 'a person belongs to no tenant',
  'src/identity/views/service.ts': 'a person belongs to no tenant',
  'src/identity/sessions/service.ts': 'who is calling is not known yet',
  'src/identity/sign-in/service.ts': 'who is calling is not known yet',
  'src/identity/single-sign-on/service.ts': 'a person belongs to no tenant',
  'src/identity/tokens/signing-keys.ts': 'keys of the service',
  'src/idempotency/service.ts':
    'its statement stands before every POST with a key, and is bound by a hash of the caller',
  'src/publishing/service.ts': 'groups of requests of several tenants are one statement',
  'src/streams/service.ts': 'one query asks for all streams of a process',
};

/** Ways to have the engine's connections: a part of the dependencies, or a type of a connection. */
const HAS_THE_ENGINE: readonly RegExp[] = [
  /(Pick|Omit)<\s*\w*Dependencies\s*,[^>]*'(db|pool)'/,
  /\bDependencies\s*\[\s*'(db|pool)'/,
  /import\s+(type\s+)?\{[^}]*\bDatabase\b[^}]*\}\s+from\s+'[^']*db\/client\.ts'/,
  /import\s+(type\s+)?\{[^}]*\b(Pool|Client)\b[^}]*\}\s+from\s+'pg'/,
  /import\s+(type\s+)?\{[^}]*\bPrismaClient\b/,
  /\b(createDatabase|createPool|openPool|openSession|inTransaction)\b/,
];
/** Ways to leave the role, or to become another tenant, by a statement. */
const LEAVES_THE_ROLE =
  /\b(RE)?SET\s+(LOCAL\s+|SESSION\s+)*ROLE\b|SESSION\s+AUTHORIZATION|\bRESET\s+ALL\b|\bDISCARD\s+ALL\b|set_config\(\s*'(role|session_authorization|posthorn|row_security)|\bposthorn\.(environment|organisation)\b|\brow_security\b|SECURITY\s+DEFINER/i;

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name))
  .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('src/db/generated/'));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Folders of resources. Stores take whatever connection their service has; workers belong to no tenant. */
const isOfAService = (path: string): boolean =>
  /^src\/(automations|channels|dead-letters|deliveries|identity|idempotency|inspectors|installation|marks|messages|publishing|replays|scheduling|streams|subscriptions)\//.test(
    path,
  ) && !/(^|[-/])store\.ts$/.test(path);
/** Parts of workers, and of publishing behind its service. */
const OF_THE_ENGINE =
  /^src\/(deliveries\/(statements\/|attempt|load|recorder|faults)|publishing\/(commit|transaction|dry-run|hand-over|configs)|replays\/(batches|kind)|scheduling\/due\/|subscriptions\/stored-filters)/;

const hasTheEngine = (text: string): boolean => HAS_THE_ENGINE.some((each) => each.test(text));

test('only services on the list have the connections of the engine', () => {
  const having = sources.filter(
    (path) => isOfAService(path) && !OF_THE_ENGINE.test(path) && hasTheEngine(textOf(path)),
  );
  expect(having.toSorted()).toEqual(Object.keys(WITH_THE_ENGINE).toSorted());
});

test('a service that has them for one thing asks for the rest through tenants', () => {
  const mixed = Object.entries(WITH_THE_ENGINE).filter(([, why]) => why.includes('through tenants'));
  expect(mixed.length).toBeGreaterThan(3);
  expect(mixed.filter(([path]) => !/\btenants\.(within|list|onConnection)\(/.test(textOf(path)))).toEqual([]);
});

describe('a service that takes the connections of the engine is found', () => {
  test.each([
    "({ db, clock }: Pick<Dependencies, 'db' | 'clock'>)",
    "deps: Pick<\n  Dependencies,\n  'newId' | 'pool'\n>",
    "const { db } = {} as { db: Dependencies['db'] };",
    "import type { Database } from '../db/client.ts';",
    "import type { Database, DatabaseTransaction } from '../../db/client.ts';",
    "import type { Pool, PoolClient } from 'pg';",
    "import { inTransaction } from '../db/transaction.ts';",
  ])('%s', (text) => {
    expect(hasTheEngine(text)).toBe(true);
  });

  test('and one that goes through tenants is not', () => {
    expect(hasTheEngine("({ tenants, clock }: Pick<Dependencies, 'tenants' | 'clock'>)")).toBe(false);
    expect(hasTheEngine("import type { DatabaseTransaction } from '../db/client.ts';")).toBe(false);
    expect(hasTheEngine("import type { PoolClient } from 'pg';")).toBe(false);
  });
});

describe('no statement leaves the role that a transaction has taken', () => {
  test('but for those that take it', () => {
    const leaving = sources.filter((path) => LEAVES_THE_ROLE.test(textOf(path)));
    expect(leaving.toSorted()).toEqual(['src/db/row-security/tenant-entry.ts', 'src/db/row-security/tenant-query.ts']);
  });

  test.each([
    'RESET ROLE',
    'set local role postgres',
    'SET SESSION AUTHORIZATION DEFAULT',
    `SELECT set_config('role', 'none', true)`,
    `SELECT set_config('posthorn.environment', $1, true)`,
    'SET LOCAL posthorn.organisation = 1',
    'SET row_security = off',
    'DISCARD ALL',
  ])('%s is found', (text) => {
    expect(LEAVES_THE_ROLE.test(text)).toBe(true);
  });
});
