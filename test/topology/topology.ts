import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { findFreePort, isPortFree } from '../../local/ports.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/service/own-servers.ts';
import { prepareService, type Settings } from '../support/service/processes.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { startChild, type TopologyChild } from './child.ts';
import { startDevelopmentProxy } from './development-proxy.ts';
import { startDevelopmentTemporal } from './development-temporal.ts';
import { expectProgram, findCaddy, findTemporalServer, findToxiproxy } from './programs.ts';
import { type Link, type Links, startLinks } from './links.ts';
import { startProxy } from './proxy.ts';
import { startTemporalCluster, TEMPORAL_PORTS } from './temporal-cluster.ts';

/** The parts that docker-compose.yml describes, as processes of this machine. */
export type Topology = {
  /** The proxy: where callers reach the API. */
  url: string;
  /** A live API key of tier enterprise. */
  key: string;
  /** For looks into the database by the checker. */
  databaseUrl: string;
  temporalAddress: string;
  postgres: OwnPostgres;
  temporal: TopologyChild;
  redis: TopologyChild;
  apis: readonly TopologyChild[];
  workers: readonly TopologyChild[];
  /** Caddy; undefined with `isDevelopment`. */
  proxy: TopologyChild | undefined;
  /** Where each API is reached without the proxy. */
  apiUrls: readonly string[];
  /** Settings of both roles. */
  settings: Settings;
  /** Ways between the parts. Another one may be opened, to a receiver. */
  links: Links & Record<'apiToPostgres' | 'workerToPostgres' | 'workerToTemporal' | 'apiToRedis', Link>;
  stop(): Promise<void>;
};

export type TopologyOptions = {
  /** The command line of APIs and workers, asked at each of their starts. Default: the build of this checkout. */
  mainOf?: () => string;
  /** Migrates the database and makes the key. Default: with the code of this checkout. */
  prepare?: (databaseUrl: string, temporalAddress: string) => Promise<{ key: string; settings: Settings }>;
  /** Where PostgreSQL keeps its data: a disk of its own, for one that runs full. Default: `folder`. */
  databaseFolder?: string;
  /** Starts another PostgreSQL than the one that npm brings, in that folder. */
  startPostgres?: (folder: string) => Promise<OwnPostgres>;
  /** True: Temporal's development server and a proxy of the tests, in place of Temporal on PostgreSQL and of Caddy, which Go must build. */
  isDevelopment?: boolean;
};

async function prepareHere(databaseUrl: string, temporalAddress: string): ReturnType<typeof prepareService> {
  await migrate(databaseUrl);
  return prepareService(databaseUrl, temporalAddress);
}

const COPIES = [1, 2];

/**
 * Starts PostgreSQL (durable), a Temporal server on it, Redis, Toxiproxy for the links between them, two APIs, two workers and the
 * proxy, in the order of their needs, each with a log in `folder`. Throws with a sentence when a program is missing or a part does not come
 * up; what has started is stopped.
 */
export async function startTopology(
  folder: string,
  print: (line: string) => void,
  {
    mainOf = () => BUILT.main,
    prepare = prepareHere,
    databaseFolder = folder,
    startPostgres = startOwnPostgres,
    isDevelopment = false,
  }: TopologyOptions = {},
): Promise<Topology> {
  expectProgram('redis-server', 'redis-server');
  const toxiproxy = findToxiproxy(print);
  const startTemporal = async (postgresUrl: string, port: number): Promise<TopologyChild> =>
    isDevelopment
      ? startDevelopmentTemporal(port, folder, print)
      : startTemporalCluster({ postgresUrl, port, programs: findTemporalServer(print), folder });
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  const keep = (child: TopologyChild): TopologyChild => {
    stops.push(async () => {
      child.thaw();
      await child.end('SIGTERM');
    });
    print(`${child.name} is ready`);
    return child;
  };
  try {
    const postgres = await startPostgres(databaseFolder);
    stops.push(() => postgres.stop());
    print('PostgreSQL is ready');
    const port = await findFreeRange(TEMPORAL_PORTS);
    const temporal = keep(await startTemporal(postgres.url, port));
    const temporalAddress = `127.0.0.1:${port}`;
    const redisPort = await findFreePort();
    const redis = keep(await startRedis(redisPort, folder));
    const { key, settings } = await prepare(postgres.url, temporalAddress);
    const proxyPort = await findFreePort('everywhere');
    const opened = await startLinks(toxiproxy, folder);
    keep(opened.child);
    const postgresAddress = new URL(postgres.url).host;
    const links = {
      ...opened,
      apiToPostgres: await opened.open('api-postgres', postgresAddress),
      workerToPostgres: await opened.open('worker-postgres', postgresAddress),
      workerToTemporal: await opened.open('worker-temporal', temporalAddress),
      apiToRedis: await opened.open('api-redis', `127.0.0.1:${redisPort}`),
    };
    const through = ({ address }: Link): string => {
      const url = new URL(postgres.url);
      url.host = address;
      return url.href;
    };
    const variables = {
      ...settings,
      REDIS_URL: `redis://:${REDIS_PASSWORD}@${links.apiToRedis.address}`,
      TRUSTED_PROXY_HOPS: '1',
      PUBLIC_BASE_URL: `http://127.0.0.1:${proxyPort}`,
      PROCESSES: '1',
    };
    const apiVariables = { ...variables, DATABASE_URL: through(links.apiToPostgres) };
    const workerVariables = {
      ...variables,
      DATABASE_URL: through(links.workerToPostgres),
      TEMPORAL_ADDRESS: links.workerToTemporal.address,
    };
    const ports = [await findFreePort('everywhere'), await findFreePort('everywhere')];
    const apis = await Promise.all(
      ports.map(async (each, index) =>
        keep(await startApi(`API ${index + 1}`, each, { variables: apiVariables, folder, mainOf })),
      ),
    );
    const workers = await Promise.all(
      COPIES.map(async (number) =>
        keep(await startWorker(`worker ${number}`, { variables: workerVariables, folder, mainOf })),
      ),
    );
    let proxy: TopologyChild | undefined;
    if (isDevelopment) {
      const development = await startDevelopmentProxy(proxyPort, ports);
      stops.push(() => development.stop());
    } else proxy = keep(await startProxy(findCaddy(print), { port: proxyPort, apis: ports, folder }));
    const url = `http://127.0.0.1:${proxyPort}`;
    return {
      url,
      key,
      databaseUrl: postgres.url,
      temporalAddress,
      postgres,
      temporal,
      redis,
      apis,
      workers,
      proxy,
      apiUrls: ports.map((each) => `http://127.0.0.1:${each}`),
      settings: variables,
      links,
      stop,
    };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

const REDIS_PASSWORD = randomBytes(16).toString('hex');

const startRedis = (port: number, folder: string): Promise<TopologyChild> =>
  startChild(
    'Redis',
    [
      'redis-server',
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--requirepass',
      REDIS_PASSWORD,
    ],
    { logPath: join(folder, 'redis.log') },
    async () => !(await isPortFree(port)),
  );

type RoleOptions = { variables: Settings; folder: string; mainOf: () => string };

const startApi = (name: string, port: number, { variables, folder, mainOf }: RoleOptions): Promise<TopologyChild> =>
  startChild(
    name,
    () => [process.execPath, mainOf(), 'api'],
    { variables: { ...variables, PORT: String(port) }, logPath: logPathOf(name, folder) },
    () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
  );

/** Ready when its log says so; a later start asks for one line more. */
async function startWorker(name: string, { variables, folder, mainOf }: RoleOptions): Promise<TopologyChild> {
  const logPath = logPathOf(name, folder);
  let starts = 0;
  const worker = await startChild(
    name,
    () => [process.execPath, mainOf(), 'worker'],
    { variables, logPath },
    () => {
      const ready = countLines(logPath, 'the worker is ready');
      if (ready <= starts) return Promise.resolve(false);
      starts = ready;
      return Promise.resolve(true);
    },
  );
  return worker;
}

const countLines = (path: string, words: string): number =>
  existsSync(path) ? readFileSync(path, 'utf8').split(words).length - 1 : 0;

const logPathOf = (name: string, folder: string): string => join(folder, `${name.toLowerCase().replace(' ', '-')}.log`);

/** The first of so many free ports in a row. */
async function findFreeRange(count: number): Promise<number> {
  for (;;) {
    const first = await findFreePort();
    const others = Array.from({ length: count - 1 }, (_, index) => first + 1 + index);
    if ((await Promise.all(others.map((port) => isPortFree(port)))).every(Boolean)) return first;
  }
}
