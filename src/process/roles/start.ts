import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { type Connected, createDependencies } from '../assembly/create-dependencies.ts';
import { migrate } from '../../platform/db/migrations/migrate.ts';
import { createApiKeys } from '../../identity/credentials/api-keys/service.ts';
import { createAudit } from '../../identity/tenancy/audit/service.ts';
import { identifyProcess, takeLock } from '../../../local/process-identity.ts';
import { createFirstKeys, ensureEnvironments } from '../seed.ts';
import { createLog, type ServiceLog } from '../../platform/log.ts';
import {
  createOwnAddresses,
  type OwnAddresses,
  type OwnEndpoint,
} from '../../platform/outbound/guard/own-addresses.ts';
import { explainingDatabase } from '../../platform/readiness/database-trouble.ts';
import {
  type ReadinessCheck,
  createReadiness,
  untilReady,
  type Waiting,
  waitingBy,
} from '../../platform/readiness/readiness.ts';
import { databaseCheck, startChecks } from '../../platform/readiness/start-checks.ts';
import { noSiblings } from '../assembly/siblings.ts';
import { chooseApiPort, onAnyPort, onPort } from './serving/api-port.ts';
import { encryptionKeysOf } from './database/encryption-key-file.ts';
import { type Infrastructure, startInfrastructure } from './serving/infrastructure.ts';
import { print, type RunningRole, runUntilStopped, warnOfIgnored } from './serving/role.ts';
import { removeRunningState, writeRunningState } from './serving/running-state.ts';
import { observing } from './serving/observing.ts';
import { tracing } from './serving/tracing.ts';
import { filterSteps } from './serving/stored-filters.ts';
import type { StopRequest } from './serving/stop-request.ts';
import { createUndo } from './serving/undo.ts';
import { startWatchdog } from '../watchdog.ts';
import { openSetup } from './setup-link.ts';
import { describeService } from './printing/welcome.ts';

// A first trial is a subscriber on this machine, over http. A `start` with nothing embedded is a real deployment and has no such
// defaults.
const EMBEDDED_DEFAULTS = { ALLOW_HTTP_WEBHOOKS: 'true', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128' };
// The terminal shows the lines of start itself; a line for each request would bury them.
const DEFAULTS = { LOG_LEVEL: 'warn' };

/**
 * `posthorn start`: everything, with its own PostgreSQL and Temporal where no address is set. Returns the exit code.
 * `dropFilters` is as for `posthorn migrate`.
 */
export async function runStart(stop: StopRequest, options: StartOptions): Promise<number> {
  const given = readConfig(undefined, DEFAULTS);
  const isEmbedded = given.databaseUrl === undefined || given.temporal.address === undefined;
  const config = isEmbedded ? readConfig(undefined, { ...DEFAULTS, ...EMBEDDED_DEFAULTS }) : given;
  const log = createLog(config.logLevel, { role: 'start' });
  warnOfIgnored(log);
  mkdirSync(join(config.dataFolder, 'state'), { recursive: true, mode: 0o700 });
  const unlock = takeLock(join(config.dataFolder, 'state', 'start.pid.json'));
  if (typeof unlock !== 'function')
    throw new Error(
      `Posthorn already runs on ${config.dataFolder} (process ${unlock.pid}); set DATA_FOLDER for a second one`,
    );
  try {
    const exitCode = await runUntilStopped(log, stop, (signal) => startEverything(config, log, signal, options));
    print('Stopped');
    return exitCode;
  } finally {
    unlock();
  }
}

type StartOptions = { dropFilters: boolean };

async function startEverything(
  given: Config,
  log: ServiceLog,
  signal: AbortSignal,
  { dropFilters }: StartOptions,
): Promise<RunningRole> {
  const undo = createUndo();
  return undo.onFailure(async () => {
    const chosen = given.processes === 1 ? given : await onAnyPort(given);
    const port = await chooseApiPort(chosen);
    const own = createKnownOwn();
    const starting = startInfrastructure(chosen, own.addresses, print);
    undo.add(() => starting.stop());
    // The service is loaded while the servers start. Loading keeps the event loop busy for a second, so it waits for their processes.
    await starting.underWay;
    const run = given.processes === 1 ? await inThisProcess() : await inSeveral();
    const databaseUrl = await starting.databaseUrl;
    signal.throwIfAborted();
    const config: Config = { ...onPort(chosen, port), databaseUrl, encryptionKeys: encryptionKeysOf(chosen) };
    const connected = createDependencies(config, log, own.addresses);
    undo.add(connected.disconnect);
    const waiting = waitingBy(print, signal);
    // Rejects as soon as one of them fails: a database that is down is waited for, and a Temporal that cannot start is not.
    const [checks, infrastructure] = await Promise.all([
      prepareDatabase(connected, databaseUrl, waiting, { dropFilters }),
      starting.ready,
    ]);
    signal.throwIfAborted();
    const service = await run({ config, log, connected, checks, waiting, own, infrastructure });
    undo.add(service.stop);
    const apiUrl = `http://localhost:${service.port}`;
    keepState(config, { ...infrastructure, apiUrl });
    undo.add(async () => removeRunningState(config.dataFolder));
    const audit = createAudit(connected.deps);
    const keys = await createFirstKeys(connected.deps, createApiKeys(connected.deps, { audit }));
    const setupLink = await openSetup({ ...connected.deps, config: onPort(config, service.port) });
    for (const line of describeService({ ...infrastructure, config, apiUrl, keys, setupLink })) print(line);
    connected.deps.crashes.ready();
    return {
      failed: Promise.race([starting.failed, service.failed]),
      async stop() {
        print('Draining: tries that are under way end first; the next start goes on with the rest');
        await undo.all();
      },
    };
  });
}

/** Own endpoints that processes to come have to know as well. */
type KnownOwn = {
  addresses: OwnAddresses;
  all(): readonly OwnEndpoint[];
  onAdded(listener: (endpoints: readonly OwnEndpoint[]) => void): void;
};

function createKnownOwn(): KnownOwn {
  const addresses = createOwnAddresses([]);
  const endpoints: OwnEndpoint[] = [];
  let tell: (added: readonly OwnEndpoint[]) => void = () => undefined;
  return {
    addresses: {
      ...addresses,
      add(...added) {
        addresses.add(...added);
        endpoints.push(...added);
        tell(added);
      },
    },
    all: () => endpoints,
    onAdded(listener) {
      tell = listener;
    },
  };
}

type Prepared = {
  config: Config;
  log: ServiceLog;
  connected: Connected;
  checks: readonly ReadinessCheck[];
  waiting: Waiting;
  own: KnownOwn;
  infrastructure: Infrastructure;
};
type Run = (prepared: Prepared) => Promise<RunningRole & { port: number }>;

async function inThisProcess(): Promise<Run> {
  const { startService } = await import('./serving/start-service.ts');
  return ({
    config,
    log,
    connected: { deps },
    checks,
    waiting,
    own: { addresses },
    infrastructure: { temporalAddress },
  }) => {
    startWatchdog(log);
    return tracing({ config, log, role: 'start' }, (spans) =>
      observing({ config, log, own: addresses }, (observed) =>
        startService({ ...deps, meters: observed?.meters, tracing: spans }, checks, {
          config,
          log,
          own: addresses,
          siblings: noSiblings,
          waiting,
          temporalAddress,
          observed,
        }),
      ),
    );
  };
}

async function inSeveral(): Promise<Run> {
  const { supervise } = await import('../supervisor/supervise.ts');
  return async ({ config, log, waiting: { signal }, own, infrastructure: { temporalAddress } }) => ({
    port: config.port,
    ...(await supervise({ role: 'start', config, log, own, signal, temporalAddress, tell: print })),
  });
}

/** Waits for the database, migrates it and makes the environments. Returns the checks that have found it ready. */
async function prepareDatabase(
  { deps }: Connected,
  databaseUrl: string,
  waiting: Waiting,
  { dropFilters }: StartOptions,
): Promise<readonly ReadinessCheck[]> {
  // Before the migration: a database that starts or takes no writes is waited for, as in every role.
  await untilReady(createReadiness([databaseCheck(deps)]), waiting);
  const applied = await explainingDatabase({ ...deps.config, databaseUrl }, () =>
    migrate(databaseUrl, {
      onProgress: print,
      namesEach: false,
      signal: waiting.signal,
      ...filterSteps(deps.filters, { isDropping: dropFilters, tell: print }),
    }),
  );
  const [first, last] = [applied[0], applied.at(-1)];
  if (first !== undefined)
    print(first === last ? `Applied migration ${first}` : `Applied migrations ${first} to ${last}`);
  // The same checks as /readyz has: the proof of the encryption keys reads every sealed row.
  const checks = startChecks(deps);
  await untilReady(createReadiness(checks), waiting);
  await ensureEnvironments(deps);
  waiting.signal.throwIfAborted();
  return checks;
}

function keepState(
  { dataFolder }: Config,
  { apiUrl, databaseUrl, temporalAddress, temporalUiUrl, pids }: Infrastructure & { apiUrl: string },
): void {
  writeRunningState(dataFolder, {
    process: identifyProcess(process.pid) ?? { pid: process.pid, bornAt: 'unknown' },
    apiUrl,
    databaseUrl,
    temporalAddress,
    ...(temporalUiUrl !== undefined && { temporalUiUrl }),
    pids,
  });
}
