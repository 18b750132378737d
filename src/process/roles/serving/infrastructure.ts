import type { Config } from '../../../config.ts';
import { keepRunning } from '../../../../local/keep-running.ts';
import { DEFAULT_PORTS } from '../../../../local/ports.ts';
import { type EmbeddedPostgres, startPostgres } from '../../../../local/postgres.ts';
import { type EmbeddedTemporal, startTemporal } from '../../../../local/temporal.ts';
import { connectionsOf } from '../../assembly/create-dependencies.ts';
import type { OwnAddresses } from '../../../outbound/guard/own-addresses.ts';

/** PostgreSQL and Temporal of a `start`: its own, or those at given addresses. */
export type Infrastructure = {
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl?: string;
  pids: { postgres?: number; temporal?: number };
  /** Resolves with a reason when an own server cannot be kept up. */
  failed: Promise<string>;
  /** Temporal is stopped first: it ends while the record it works for is still there. */
  stop(): Promise<void>;
};

// One process takes 30 connections and more of them 12 each at least; keys, psql and a second worker find room beside them.
const CONNECTIONS_OF_OTHERS = 100;
const CONNECTIONS_AT_LEAST = 200;
/** Where both listen. */
const LISTENING = '127.0.0.1';

/**
 * Starts the servers that have no address, both at once. A started one is stopped again when the other one fails. `own` learns every
 * port that they listen on, also after a restart, when the ports may differ.
 */
export async function startInfrastructure(
  config: Config,
  own: OwnAddresses,
  onProgress: (line: string) => void,
): Promise<Infrastructure> {
  let giveUp: (reason: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  const watching = { onProgress, onGivenUp: giveUp };
  const { dataFolder, databaseUrl, temporal, processes } = config;
  const { pool, prisma } = connectionsOf(config);
  const maxConnections = Math.max(CONNECTIONS_AT_LEAST, processes * (pool + prisma) + CONNECTIONS_OF_OTHERS);

  const startOwnPostgres = async (previous: EmbeddedPostgres | undefined): Promise<EmbeddedPostgres> => {
    onProgress('Starting PostgreSQL');
    const started = await startPostgres({
      dataFolder,
      port: previous?.port ?? DEFAULT_PORTS.postgres,
      maxConnections,
      database: 'posthorn',
      onProgress,
    });
    own.add({ host: LISTENING, port: started.port });
    return sameAddress('PostgreSQL', started, previous);
  };
  const startOwnTemporal = async (previous: EmbeddedTemporal | undefined): Promise<EmbeddedTemporal> => {
    onProgress('Starting Temporal');
    const { temporalCli } = config;
    const started = await startTemporal({
      dataFolder,
      port: previous?.port ?? DEFAULT_PORTS.temporal,
      uiPort: DEFAULT_PORTS.temporalUi,
      namespace: temporal.namespace,
      temporalCli,
      onProgress,
    });
    own.add(...started.ports.map((port) => ({ host: LISTENING, port })));
    return sameAddress('Temporal', started, previous);
  };

  const [postgres, engine] = await Promise.allSettled([
    databaseUrl === undefined ? keepRunning({ start: startOwnPostgres, ...watching }) : undefined,
    temporal.address === undefined ? keepRunning({ start: startOwnTemporal, ...watching }) : undefined,
  ]);
  const stop = async (): Promise<void> => {
    if (engine.status === 'fulfilled') await engine.value?.stop();
    if (postgres.status === 'fulfilled') await postgres.value?.stop();
  };
  const rejected = [postgres, engine].find((part) => part.status === 'rejected');
  if (postgres.status === 'rejected' || engine.status === 'rejected') {
    await stop();
    throw rejected?.reason;
  }
  const ownPostgres = postgres.value?.first;
  const ownTemporal = engine.value?.first;
  return {
    databaseUrl: databaseUrl ?? ownPostgres?.url ?? '',
    temporalAddress: temporal.address ?? ownTemporal?.address ?? '',
    ...(ownTemporal?.uiUrl !== undefined && { temporalUiUrl: ownTemporal.uiUrl }),
    pids: { ...(ownPostgres && { postgres: ownPostgres.pid }), ...(ownTemporal && { temporal: ownTemporal.pid }) },
    failed,
    stop,
  };
}

/** A server that comes back at another port is of no use: everything is connected to the old address. */
async function sameAddress<T extends { port: number; stop(): Promise<void> }>(
  name: string,
  started: T,
  previous: T | undefined,
): Promise<T> {
  if (previous === undefined || started.port === previous.port) return started;
  await started.stop();
  throw new Error(`${name} could not get back its port ${previous.port}`);
}
