import { createInstallation, type Installation } from '../../installation/service.ts';
import { FRESH_MS, IDLE_MS, LIFE_MS } from '../../identity/sessions/service.ts';
import type { Accounts } from '../../identity/accounts/service.ts';
import { readBacklog, readTables, readWaiting } from '../../observe/figure-queries.ts';
import { createReadiness } from '../../readiness/readiness.ts';
import { startChecks } from '../../readiness/start-checks.ts';
import type { ProcessDependencies } from './create-dependencies.ts';

/** Longest wait for the version of a server, because a page waits too. The version of a server that is away is left out. */
const TEMPORAL_WITHIN_MS = 1_500;
/** A server seldom changes its version, and each look makes a connection. */
const TEMPORAL_EVERY_MS = 60_000;

/** The service itself, as its operators see it. */
export function createInstallationOf(
  deps: ProcessDependencies,
  accounts: Pick<Accounts, 'findFirstOrganisation'>,
): Installation {
  const { pool, db } = deps;
  return createInstallation(deps, {
    lifetimes: { idleMs: IDLE_MS, lifeMs: LIFE_MS, freshMs: FRESH_MS },
    firstOrganisation: () => db.$transaction((transaction) => accounts.findFirstOrganisation(transaction)),
    readBacklog: () => readBacklog(pool),
    readWaiting: () => readWaiting(pool),
    readTables: () => readTables(pool),
    look: createReadiness(startChecks(deps)).look,
    temporalVersion: rememberedFor(TEMPORAL_EVERY_MS, () => askTemporal(deps.config.temporal)),
  });
}

/** The version of the server, undefined where it does not answer in time or no address of it is known. */
async function askTemporal({
  address,
  ...settings
}: ProcessDependencies['config']['temporal']): Promise<string | undefined> {
  if (address === undefined) return undefined;
  const asked = async (): Promise<string | undefined> => {
    // Loaded when somebody asks: the SDK takes 0.4 s of a processor.
    const { connectToTemporal } = await import('../../temporal/connection.ts');
    const connection = await connectToTemporal({ ...settings, address });
    try {
      const { client } = connection;
      const { serverVersion } = await client.withDeadline(Date.now() + TEMPORAL_WITHIN_MS, () =>
        client.workflowService.getSystemInfo({}),
      );
      return serverVersion ?? undefined;
    } finally {
      await connection.close();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TEMPORAL_WITHIN_MS);
  });
  try {
    return await Promise.race([asked().catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

function rememberedFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (latest === undefined || performance.now() - latest.at > ms) latest = { at: performance.now(), value: read() };
    return latest.value;
  };
}
