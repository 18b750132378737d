import type { Config } from '../../../platform/config/config.ts';
import { keepRunning } from '../../../../local/child.ts';
import { DEFAULT_PORTS } from '../../../../local/ports.ts';
import { type EmbeddedPostgres, startPostgres } from '../../../../local/postgres.ts';
import { type EmbeddedTemporal, startTemporal } from '../../../../local/temporal.ts';
import { connectionsOf } from '../../assembly/create-dependencies.ts';
import type { OwnAddresses } from '../../../platform/outbound/guard/own-addresses.ts';

/** PostgreSQL and Temporal of a `start`: embedded, or at given addresses. */
export type Infrastructure = {
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl?: string;
  pids: { postgres?: number; temporal?: number };
};

/** Servers that are starting: PostgreSQL can be used while Temporal is not ready yet. */
export type StartingInfrastructure = {
  /** Resolves once child processes do the rest of the work, or a start has failed; from then on the event loop may be busy. */
  underWay: Promise<void>;
  /** Resolves once PostgreSQL accepts connections. Both promises reject as soon as one of the servers cannot be started. */
  databaseUrl: Promise<string>;
  /** Resolves once both servers are ready. */
  ready: Promise<Infrastructure>;
  /** Resolves with a reason if an embedded server cannot be kept running. */
  failed: Promise<string>;
  /**
   * Stops both, after waiting for starts in progress. Temporal is stopped first, so that its database stays available until it has
   * ended.
   */
  stop(): Promise<void>;
};

// One process uses 30 connections; with more processes, each uses at least 12. Leave room for the command line, psql and a second
// worker.
const CONNECTIONS_OF_OTHERS = 100;
const CONNECTIONS_AT_LEAST = 200;
/** Both listen here. */
const LISTENING = '127.0.0.1';

/**
 * Starts the servers that have no address, both at once, and returns without waiting for them. The caller stops them, even if one
 * fails. `own` is told every port that they listen on, also after a restart, when the ports may differ.
 */
export function startInfrastructure(
  config: Config,
  own: OwnAddresses,
  onProgress: (line: string) => void,
): StartingInfrastructure {
  let giveUp: (reason: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  const watching = { onProgress, onGivenUp: giveUp };
  const running = { postgres: createSignal(), temporal: createSignal() };
  const { dataFolder, databaseUrl, temporal, processes } = config;
  const { pool, prisma } = connectionsOf(config);
  const maxConnections = Math.max(CONNECTIONS_AT_LEAST, processes * (pool + prisma) + CONNECTIONS_OF_OTHERS);

  const startOwnPostgres = async (previous: EmbeddedPostgres | undefined): Promise<EmbeddedPostgres> => {
    const started = await startPostgres({
      dataFolder,
      port: previous?.port ?? DEFAULT_PORTS.postgres,
      maxConnections,
      database: 'posthorn',
      onProgress,
      onChildRunning: running.postgres.give,
    });
    own.add({ host: LISTENING, port: started.port });
    return sameAddress('PostgreSQL', started, previous);
  };
  const startOwnTemporal = async (previous: EmbeddedTemporal | undefined): Promise<EmbeddedTemporal> => {
    const { temporalCli } = config;
    const started = await startTemporal({
      dataFolder,
      port: previous?.port ?? DEFAULT_PORTS.temporal,
      uiPort: DEFAULT_PORTS.temporalUi,
      namespace: temporal.namespace,
      temporalCli,
      onProgress,
      onChildRunning: running.temporal.give,
    });
    own.add(...started.ports.map((port) => ({ host: LISTENING, port })));
    return sameAddress('Temporal', started, previous);
  };

  const names = [
    ...(databaseUrl === undefined ? ['PostgreSQL'] : []),
    ...(temporal.address === undefined ? ['Temporal'] : []),
  ];
  if (names.length > 0) onProgress(`Starting ${names.join(' and ')}`);
  const postgres = orGiven(databaseUrl, () => keepRunning({ start: startOwnPostgres, ...watching }));
  const engine = orGiven(temporal.address, () => keepRunning({ start: startOwnTemporal, ...watching }));
  const ready = Promise.all([postgres, engine]).then(([keptPostgres, keptTemporal]): Infrastructure => {
    const ownPostgres = keptPostgres?.first;
    const ownTemporal = keptTemporal?.first;
    return {
      databaseUrl: databaseUrl ?? ownPostgres?.url ?? '',
      temporalAddress: temporal.address ?? ownTemporal?.address ?? '',
      ...(ownTemporal?.uiUrl !== undefined && { temporalUiUrl: ownTemporal.uiUrl }),
      pids: { ...(ownPostgres && { postgres: ownPostgres.pid }), ...(ownTemporal && { temporal: ownTemporal.pid }) },
    };
  });
  const usable = Promise.race([
    postgres.then((kept) => databaseUrl ?? kept?.first.url ?? ''),
    ready.then((both) => both.databaseUrl),
  ]);
  // The caller may await them some time after one has failed; until then the rejection must not end the process.
  for (const promise of [ready, usable]) promise.catch(() => undefined);
  const underWay = Promise.race([
    Promise.all([
      databaseUrl === undefined ? running.postgres.given : undefined,
      temporal.address === undefined ? running.temporal.given : undefined,
    ]),
    ready.catch(() => undefined),
  ]);
  return {
    underWay: underWay.then(() => undefined),
    databaseUrl: usable,
    ready,
    failed,
    async stop() {
      const [settledPostgres, settledTemporal] = await Promise.allSettled([postgres, engine]);
      if (settledTemporal.status === 'fulfilled') await settledTemporal.value?.stop();
      if (settledPostgres.status === 'fulfilled') await settledPostgres.value?.stop();
    },
  };
}

function createSignal(): { given: Promise<void>; give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Starts a server, unless the settings give the address of one. */
const orGiven = async <T>(address: string | undefined, start: () => Promise<T>): Promise<T | undefined> =>
  address === undefined ? start() : undefined;

/** A server that comes back on another port is useless, because everything is connected to the old address. */
async function sameAddress<T extends { port: number; stop(): Promise<void> }>(
  name: string,
  started: T,
  previous: T | undefined,
): Promise<T> {
  if (previous === undefined || started.port === previous.port) return started;
  await started.stop();
  throw new Error(`${name} could not get back its port ${previous.port}`);
}
