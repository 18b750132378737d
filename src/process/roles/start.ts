import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { createDependencies } from '../create-dependencies.ts';
import { createServices } from '../create-services.ts';
import { migrate } from '../../db/migrate.ts';
import { choosePort, isPortFree } from '../../../local/ports.ts';
import { identifyProcess, takeLock } from '../../../local/process-identity.ts';
import { createFirstKeys, ensureEnvironments } from '../seed.ts';
import { createLog } from '../../log.ts';
import { createOwnAddresses, type OwnAddresses } from '../../outbound/own-addresses.ts';
import { explainingDatabase } from '../../readiness/database-trouble.ts';
import { type Check, createReadiness } from '../../readiness/readiness.ts';
import { databaseCheck, startChecks } from '../../readiness/start-checks.ts';
import { untilReady, type Waiting } from '../../readiness/until-ready.ts';
import { createHandOver } from '../../publishing/hand-over.ts';
import { NotReady } from '../../kernel/not-ready.ts';
import { installRuntime } from '../../temporal/connection.ts';
import { untilTemporalAnswers } from '../../temporal/until-temporal-answers.ts';
import { type RunningWorker, startWorker } from '../start-worker.ts';
import { encryptionKeysOf } from './encryption-key-file.ts';
import { type Infrastructure, startInfrastructure } from './infrastructure.ts';
import { print, type RunningRole, runUntilStopped } from './role.ts';
import { removeRunningState, writeRunningState } from './running-state.ts';
import { portTaken, serveApi } from './serve-api.ts';
import { filterSteps } from './stored-filters.ts';
import type { StopRequest } from './stop-request.ts';
import { describeService } from './welcome.ts';

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
  const log = createLog(config.logLevel);
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
  config: Config,
  log: Logger,
  signal: AbortSignal,
  options: StartOptions,
): Promise<RunningRole> {
  // Steps that undo the start when something further on fails, and at the end: the last one first.
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const port = await chooseApiPort(config);
    const own = createOwnAddresses([]);
    const infrastructure = await startInfrastructure(config, own, print);
    undo.push(() => infrastructure.stop());
    signal.throwIfAborted();
    const surroundings = { ...infrastructure, own, ...options };
    const { failed } = await startService(onPort(config, port), log, surroundings, undo, signal);
    return {
      failed: Promise.race([infrastructure.failed, failed]),
      async stop() {
        print('Draining: what was accepted is finished first');
        await stop();
      },
    };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

async function startService(
  given: Config,
  log: Logger,
  {
    databaseUrl,
    temporalAddress,
    temporalUiUrl,
    pids,
    own,
    dropFilters,
  }: Infrastructure & StartOptions & { own: OwnAddresses },
  undo: (() => Promise<void>)[],
  signal: AbortSignal,
): Promise<RunningWorker> {
  const config: Config = { ...given, databaseUrl, encryptionKeys: encryptionKeysOf(given) };
  const { deps, disconnect } = createDependencies(config, log, own);
  undo.push(disconnect);
  const waiting: Waiting = { tell: print, signal };
  const settings = { ...config.temporal, address: temporalAddress };
  // Before the migration: a database that starts or takes no writes is waited for, as in every role.
  await untilReady(createReadiness([databaseCheck(deps)]), waiting);
  await explainingDatabase(databaseUrl, () =>
    migrate(databaseUrl, {
      onProgress: print,
      signal,
      ...filterSteps(deps.filters, { isDropping: dropFilters, tell: print }),
    }),
  );
  // The same checks as /readyz has: the proof of the encryption keys reads every sealed row.
  const checks = startChecks(deps);
  await untilReady(createReadiness(checks), waiting);
  await ensureEnvironments(deps);
  signal.throwIfAborted();
  const handOver = createHandOver();
  const services = createServices(deps, handOver);
  installRuntime(log);
  await untilTemporalAnswers(settings, waiting);
  const worker = await startWorker(deps, settings, { handOver });
  undo.push(() => worker.stop());
  const temporal: Check = {
    name: 'temporal',
    isRequired: false,
    async run() {
      if (!worker.isHealthy())
        throw new NotReady('Temporal does not answer: nothing is delivered meanwhile', {
          advice: `TEMPORAL_ADDRESS: ${temporalAddress} does not answer; nothing is delivered meanwhile`,
        });
    },
  };
  const api = await serveApi(deps, services, [...checks, temporal]);
  undo.push(() => api.stop());
  const identity = identifyProcess(process.pid) ?? { pid: process.pid, bornAt: 'unknown' };
  const apiUrl = `http://localhost:${api.port}`;
  writeRunningState(config.dataFolder, {
    process: identity,
    apiUrl,
    databaseUrl,
    temporalAddress,
    ...(temporalUiUrl !== undefined && { temporalUiUrl }),
    pids,
  });
  undo.push(async () => removeRunningState(config.dataFolder));
  const keys = await createFirstKeys(deps, services.apiKeys);
  for (const line of describeService({ config, apiUrl, temporalAddress, temporalUiUrl, keys })) print(line);
  return worker;
}

/** A port that was asked for is taken or fails; the default one gives way to another program. */
async function chooseApiPort({ port, isPortChosen }: Config): Promise<number> {
  if (port === 0) return port;
  if (!isPortChosen) return choosePort('the API', port, print, 'everywhere');
  if (await isPortFree(port, 'everywhere')) return port;
  throw new ConfigError(portTaken(port));
}

function onPort(config: Config, port: number): Config {
  const isDefaultUrl = config.publicBaseUrl === `http://localhost:${config.port}`;
  return { ...config, port, ...(isDefaultUrl && { publicBaseUrl: `http://localhost:${port}` }) };
}
