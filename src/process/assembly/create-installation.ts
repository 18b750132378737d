import { createInstallation, type Installation } from '../../insight/installation/service.ts';
import { FRESH_MS, IDLE_MS, LIFE_MS } from '../../identity/people/sessions/service.ts';
import type { Accounts } from '../../identity/people/accounts/service.ts';
import { readBacklog, readOldestDue, readTables, readWaiting } from '../../platform/observe/figure-queries.ts';
import { createReadiness, type ReadinessCheck } from '../../platform/readiness/readiness.ts';
import { startChecks } from '../../platform/readiness/start-checks.ts';
import type { ProcessDependencies } from './create-dependencies.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { NotReady } from '../../kernel/errors.ts';
import type { TemporalConfig } from '../../platform/config/config.ts';
import { temporalTrouble } from '../../platform/temporal/trouble.ts';

/** Longest wait for Temporal: less than the 2 s of a readiness check, which would only say that there is no result. */
const ANSWER_WITHIN_MS = 1_500;

type TemporalLook = {
  check: ReadinessCheck;
  /** The server's version as of the last check; undefined if it did not respond. */
  version(): string | undefined;
};

/**
 * Checks whether Temporal responds to this process, which may be an API without a worker, and which version it is. Returns undefined if
 * its address is not known here. A check ends after 1.5 s in any case. Only one request is open at a time: the SDK takes up to 10 s to
 * give up on a server that accepts connections and stays silent, and later checks wait for that same request.
 */
export function createTemporalLook({ address, ...more }: TemporalConfig, log: Logger): TemporalLook | undefined {
  if (address === undefined) return undefined;
  const settings = { ...more, address };
  let version: string | undefined;
  let asking: Promise<string> | undefined;
  const check = async (): Promise<void> => {
    asking ??= askVersion(settings, log).finally(() => (asking = undefined));
    const stop = new AbortController();
    try {
      const tooLate = sleep(ANSWER_WITHIN_MS, undefined, { signal: stop.signal });
      version = await Promise.race([asking, tooLate]);
    } catch (failure) {
      version = undefined;
      throw temporalTrouble(failure, settings);
    } finally {
      stop.abort();
    }
    if (version === undefined)
      throw new NotReady(`Temporal did not respond within ${ANSWER_WITHIN_MS / 1_000} s`, {
        advice: `TEMPORAL_ADDRESS: ${address} does not respond; check its log`,
      });
  };
  return {
    check: { name: 'temporal', isRequired: false, run: check },
    version: () => (version === '' ? undefined : version),
  };
}

/** Returns the version of the server, which has also confirmed the namespace. Returns an empty string if it reports no version. */
async function askVersion(settings: TemporalConfig & { address: string }, log: Logger): Promise<string> {
  // Loaded on demand: the SDK takes 0.4 s of CPU time.
  const [{ connectToTemporal, installRuntime }, { askNamespace }] = await Promise.all([
    import('../../platform/temporal/connection.ts'),
    import('../../platform/temporal/furnish.ts'),
  ]);
  installRuntime(log);
  const { client, close } = await connectToTemporal(settings);
  try {
    return await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, async () => {
      const { serverVersion } = await client.workflowService.getSystemInfo({});
      await askNamespace(client, settings.namespace);
      return serverVersion ?? '';
    });
  } finally {
    await close();
  }
}

/** The service as its operators see it. */
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
