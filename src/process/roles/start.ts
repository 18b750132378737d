import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { type Connected, createDependencies } from '../assembly/create-dependencies.ts';
import { migrate } from '../../platform/db/migrations/migrate.ts';
import { createApiKeys } from '../../identity/credentials/api-keys/service.ts';
import { createAudit } from '../../identity/tenancy/audit/service.ts';
import { identifyProcess, takeLock } from '../../../local/process-identity.ts';
import { createFirstKeys, ensureEnvironments, type FirstKeys } from '../seed.ts';
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
import { encryptionKeysOf } from './encryption-key-file.ts';
import { type Infrastructure, startInfrastructure } from './serving/infrastructure.ts';
import { print, type RunningRole, runUntilStopped, warnOfIgnored } from './serving/role.ts';
import { removeRunningState, writeRunningState } from './serving/running-state.ts';
import { observing, createUndo, tracing } from './serving/observing.ts';
import { filterSteps } from './migrate.ts';
import type { StopRequest } from './serving/stop-request.ts';
import { startWatchdog } from '../watchdog.ts';
import { openSetup } from './setup-link.ts';
import { DEFAULT_DATA_FOLDER } from '../../platform/config/variables.ts';

// People trying Posthorn usually run their receiver on this machine, over plain http, so allow that. A `start` without embedded servers
// is a real deployment and keeps the strict defaults.
const EMBEDDED_DEFAULTS = { ALLOW_HTTP_WEBHOOKS: 'true', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128' };
// The terminal shows the lines of `start` itself; a log line per request would bury them.
const DEFAULTS = { LOG_LEVEL: 'warn' };

/**
 * `posthorn start`: runs everything, with an embedded PostgreSQL and Temporal if no address is set. Returns the exit code.
 * `dropFilters` works as for `posthorn migrate`.
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
      `Posthorn is already running on ${config.dataFolder} (process ${unlock.pid}); set DATA_FOLDER to run a second one`,
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
    // The service is loaded while the servers start. Loading blocks the event loop for a second, so it waits until their processes are
    // running.
    await starting.underWay;
    const run = given.processes === 1 ? await inThisProcess() : await inSeveral();
    const databaseUrl = await starting.databaseUrl;
    signal.throwIfAborted();
    const config: Config = { ...onPort(chosen, port), databaseUrl, encryptionKeys: encryptionKeysOf(chosen) };
    const connected = createDependencies(config, log, own.addresses);
    undo.add(connected.disconnect);
    const waiting = waitingBy(print, signal);
    // Rejects as soon as one of them fails: the start waits for a database that is down, but not for a Temporal that cannot start.
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
        print('Draining: waiting for attempts in progress; the next start continues with the rest');
        await undo.all();
      },
    };
  });
}

/** Own endpoints, which processes that start later have to know too. */
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

/** Waits for the database, migrates it and creates the environments. Returns the checks that have found it ready. */
async function prepareDatabase(
  { deps }: Connected,
  databaseUrl: string,
  waiting: Waiting,
  { dropFilters }: StartOptions,
): Promise<readonly ReadinessCheck[]> {
  // Before the migration: as in every command, wait for a database that is starting or read-only.
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
  // The same checks as /readyz: verifying the encryption keys reads every encrypted row.
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

type Welcome = {
  config: Config;
  apiUrl: string;
  temporalAddress: string;
  temporalUiUrl?: string | undefined;
  /** Only at the first start. */
  keys?: FirstKeys | undefined;
  /** Link that creates the first administrator, only while there is none. */
  setupLink?: string | undefined;
};

/**
 * The text that `start` prints when everything is up. Its last line is the link to open next: the setup link while there is no
 * administrator, then the dashboard. A first start leaves out what only an operator needs.
 */
export function describeService(welcome: Welcome): string[] {
  const { config, apiUrl, temporalAddress, temporalUiUrl, keys, setupLink } = welcome;
  const command = commandFor(config);
  return [
    '',
    'Posthorn is ready',
    `  API          ${apiUrl}`,
    ...(temporalUiUrl === undefined ? [`  Temporal     ${temporalAddress}`] : [`  Temporal UI  ${temporalUiUrl}`]),
    ...(config.databaseUrl === undefined ? [] : [`  PostgreSQL   ${withoutPassword(config.databaseUrl)}`]),
    `  Data folder  ${resolve(config.dataFolder)}`,
    ...(keys === undefined ? describeOperation(config, command) : describeKeys({ keys, apiUrl, command })),
    '',
    ...describeNextStep({ link: setupLink, dashboard: dashboardOf(config, apiUrl) }),
  ];
}

const dashboardOf = ({ dashboardUrl, isDashboardServed }: Config, apiUrl: string): string | undefined =>
  dashboardUrl ?? (isDashboardServed ? `${apiUrl}/dashboard/` : undefined);

function describeNextStep({ link, dashboard }: { link: string | undefined; dashboard: string | undefined }): string[] {
  if (link !== undefined)
    return [
      'Ctrl-C stops Posthorn. Next, create the first administrator: open this link within 60 minutes (it works once).',
      `  ${link}`,
    ];
  return dashboard === undefined
    ? ['Ctrl-C stops Posthorn.']
    : ['Ctrl-C stops Posthorn. The dashboard:', `  ${dashboard}`];
}

const describeOperation = (config: Config, command: string): string[] => [
  `  Processes    ${config.processes} (PROCESSES)`,
  ...(config.allowHttpWebhooks || config.webhookAllowCidrs.length > 0
    ? [`  Webhooks to  ${describeTargets(config)}`]
    : []),
  `  API keys     create one with: ${command} keys create --env test`,
];

/** Our command as typed in another terminal: without the data folder it would reach another service. */
const commandFor = ({ dataFolder }: Config): string =>
  dataFolder === DEFAULT_DATA_FOLDER
    ? 'npx posthorn'
    : `DATA_FOLDER='${dataFolder.replaceAll("'", String.raw`'\''`)}' npx posthorn`;

/** Four commands that create a channel and a subscription, and publish a message. The first two define what the others use. */
function curlLines(apiUrl: string, key: string): string[] {
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  return [
    `api() { curl -sS "${apiUrl}/v1/$1" ${headers} -d "$2"; echo; }`,
    `CHANNEL=$(api channels '{"name":"orders"}' | grep -o 'chn_[a-z0-9]*')`,
    `api subscriptions "{\\"channelId\\":\\"$CHANNEL\\",\\"webhookUrl\\":\\"http://localhost:4000/\\"}"`,
    `api "channels/$CHANNEL/messages" '{"eventType":"order.created","payload":{"number":1}}'`,
  ];
}

function describeKeys({ keys, apiUrl, command }: { keys: FirstKeys; apiUrl: string; command: string }): string[] {
  return [
    '',
    `Your API keys, shown only now (another one: ${command} keys create --env test):`,
    `  live  ${keys.live.key}`,
    `  test  ${keys.test.key}`,
    'Deliver a first message to a receiver at http://localhost:4000/ (or use your own URL):',
    ...curlLines(apiUrl, keys.test.key).map((line) => `  ${line}`),
  ];
}

function describeTargets({ allowHttpWebhooks, webhookAllowCidrs }: Config): string {
  const also = [...(allowHttpWebhooks ? ['plain http'] : []), ...webhookAllowCidrs];
  return `public https URLs, and also ${also.join(', ')} (ALLOW_HTTP_WEBHOOKS, WEBHOOK_ALLOW_CIDRS)`;
}

function withoutPassword(url: string): string {
  const address = new URL(url);
  address.password = '';
  return address.href;
}
