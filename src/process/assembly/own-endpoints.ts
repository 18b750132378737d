import pg from 'pg';
import type { Config } from '../../platform/config/config.ts';
import type { OwnEndpoint } from '../../platform/outbound/guard/own-addresses.ts';

/** Where Temporal's development server has its UI by default: on a fixed port, or on its own port plus this offset. */
const TEMPORAL_UI = { port: 8_233, behind: 1_000 } as const;
const REDIS_PORT = 6_379;
const PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * Returns the service's own endpoints according to the settings: the API at its public address, the metrics port, PostgreSQL,
 * PgBouncer, Temporal, Redis and the trace collector. Ports that are known only once they are open are added by the code that opens
 * them.
 */
export function ownEndpoints(config: Config): OwnEndpoint[] {
  const { publicBaseUrl, metricsPort, databaseUrl, pooledDatabaseUrl, temporal, redisUrl, traces } = config;
  return [
    ...ofApi(new URL(publicBaseUrl)),
    ...(metricsPort === undefined ? [] : [{ host: 'localhost', port: metricsPort }]),
    ...[databaseUrl, pooledDatabaseUrl].flatMap((url) => (url === undefined ? [] : [ofDatabase(url)])),
    ...(temporal.address === undefined ? [] : ofTemporal(temporal.address)),
    ...(redisUrl === undefined ? [] : [ofRedis(new URL(redisUrl))]),
    ...(traces === undefined ? [] : [ofCollector(new URL(traces.endpoint))]),
  ];
}

/** On ports 80 and 443 there is usually a proxy, which may also serve receivers in the same network under other names. */
function ofApi({ protocol, hostname, port, pathname }: URL): OwnEndpoint[] {
  const isWeb = port === '' || port === '80' || port === '443';
  const api = { protocol, path: pathname.replace(/\/$/, '') };
  // The settings accept only http and https.
  return [{ host: hostname, port: Number(port || PORTS[protocol as 'http:' | 'https:']), isShared: isWeb, api }];
}

/** The port on which the API of this process listens: any address of this machine may lead to it. */
export const listeningApi = (port: number): OwnEndpoint => ({
  host: 'localhost',
  port,
  api: { protocol: 'http:', path: '' },
});

/** As the driver parses the URL, with its own defaults. A Unix socket belongs to a server on this machine. */
function ofDatabase(connectionString: string): OwnEndpoint {
  const { host, port } = new pg.Client({ connectionString });
  return { host: host.startsWith('/') ? 'localhost' : host, port };
}

/** Also the UI, if the development server has it. A UI elsewhere is unknown here (docs/operate/running.md). */
function ofTemporal(address: string): OwnEndpoint[] {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  const port = Number(address.slice(colon + 1));
  return [...new Set([port, TEMPORAL_UI.port, port + TEMPORAL_UI.behind])].map((each) => ({ host, port: each }));
}

const ofCollector = ({ protocol, hostname, port }: URL): OwnEndpoint => ({
  host: hostname,
  // The settings accept only http and https.
  port: Number(port || PORTS[protocol as 'http:' | 'https:']),
});

const ofRedis = ({ hostname, port }: URL): OwnEndpoint => ({
  host: hostname === '' ? 'localhost' : hostname,
  port: Number(port || REDIS_PORT),
});
