import { createInstallation, type Installation } from '../../insight/installation/service.ts';
import { FRESH_MS, IDLE_MS, LIFE_MS } from '../../identity/people/sessions/service.ts';
import type { Accounts } from '../../identity/people/accounts/service.ts';
import { readBacklog, readOldestDue, readTables, readWaiting } from '../../platform/observe/figure-queries.ts';
import { createReadiness } from '../../platform/readiness/readiness.ts';
import { startChecks } from '../../platform/readiness/start-checks.ts';
import type { ProcessDependencies } from './create-dependencies.ts';
import { createTemporalLook } from './temporal-look.ts';

/** The service itself, as its operators see it. */
export function createInstallationOf(
  deps: ProcessDependencies,
  accounts: Pick<Accounts, 'findFirstOrganisation'>,
): Installation {
  const { pool, db, log, config } = deps;
  const temporal = createTemporalLook(config.temporal, log);
  return createInstallation(deps, {
    lifetimes: { idleMs: IDLE_MS, lifeMs: LIFE_MS, freshMs: FRESH_MS },
    firstOrganisation: () => db.$transaction((transaction) => accounts.findFirstOrganisation(transaction)),
    readBacklog: () => readBacklog(pool),
    readWaiting: () => readWaiting(pool),
    readOldestDue: () => readOldestDue(pool),
    readTables: () => readTables(pool),
    look: createReadiness([...startChecks(deps), ...(temporal === undefined ? [] : [temporal.check])]).look,
    temporalVersion: () => temporal?.version(),
  });
}
