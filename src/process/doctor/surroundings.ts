import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Config } from '../../platform/config/config.ts';
import { readMachine } from '../../platform/machine.ts';
import { redisTrouble } from '../../platform/rate-limits/redis-counters.ts';
import { fail, type Finding, lookInto, ok, warn } from './finding.ts';

const ANSWER_WITHIN_MS = 5_000;
const GIB = 1024 ** 3;
// PostgreSQL needs room for its write-ahead log next to the data, and stops if there is none.
const DISK = { warn: 5 * GIB, fail: GIB } as const;
/** With fewer open files, callers are rejected early (docs/operate/running.md). */
const OPEN_FILES = 4_096;
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** Redis responds and accepts writes. */
export async function checkRedis(redisUrl: string): Promise<Finding> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_WITHIN_MS,
    commandTimeout: ANSWER_WITHIN_MS,
  });
  let last: unknown;
  // The event has the reason; the call itself is rejected with "Connection is closed".
  redis.on('error', (failure) => {
    last ??= failure;
  });
  try {
    return await lookInto(
      'redis',
      async () => {
        await redis.connect();
        await redis.set('posthorn:doctor', '1', 'PX', 1_000);
        return ok('redis', `Redis responds at ${new URL(redisUrl).host} and accepts writes`);
      },
      (failure) => redisTrouble(redisUrl, last ?? failure),
    );
  } finally {
    redis.disconnect();
  }
}

/** The service is reachable at PUBLIC_BASE_URL. */
export async function checkPublicBaseUrl({ publicBaseUrl }: Pick<Config, 'publicBaseUrl'>): Promise<Finding> {
  const check = 'publicBaseUrl';
  const { protocol, host } = new URL(publicBaseUrl);
  if (protocol === 'http:' && !LOOPBACK.test(host))
    return warn(
      check,
      `PUBLIC_BASE_URL: ${publicBaseUrl} is http, so keys and passwords are sent unencrypted; put a proxy with TLS in front`,
    );
  const isOurs = await isPosthornAt(publicBaseUrl);
  if (isOurs) return ok(check, `the service responds at ${publicBaseUrl}`);
  return warn(
    check,
    `PUBLIC_BASE_URL: Posthorn does not respond at ${publicBaseUrl} from here; start it, or correct the address or the proxy in front`,
  );
}

/** The host at which this machine can reach the listener. */
const askedAt = (listenHost = '127.0.0.1'): string => (listenHost.includes(':') ? `[${listenHost}]` : listenHost);

/** The port of the API is free or in use by Posthorn. */
export const checkPort = ({ port, listenHost }: Pick<Config, 'port' | 'listenHost'>): Promise<Finding> =>
  lookInto('port', async () => {
    if (port === 0) return ok('port', 'PORT is 0, so the API uses any free port');
    return lookAtPort({ check: 'port', setting: 'PORT', port, listenHost }, isPosthornAt);
  });

/** The port of the metrics is free or in use by Posthorn, and is not that of the API. */
export const checkMetricsPort = ({
  port,
  metricsPort,
  listenHost,
}: Pick<Config, 'port' | 'listenHost'> & { metricsPort: number }): Promise<Finding> =>
  lookInto('metricsPort', async () => {
    if (metricsPort === port)
      return fail('metricsPort', `METRICS_PORT is ${port}, and so is PORT; an api needs both, so set another port`);
    return lookAtPort({ check: 'metricsPort', setting: 'METRICS_PORT', port: metricsPort, listenHost }, hasMetricsAt);
  });

type ExaminedPort = { check: string; setting: string; port: number; listenHost: string | undefined };

async function lookAtPort(
  { check, setting, port, listenHost }: ExaminedPort,
  isOursAt: (url: string) => Promise<boolean>,
): Promise<Finding> {
  const server = createServer();
  try {
    server.listen({ port, ...(listenHost !== undefined && { host: listenHost }) });
    await once(server, 'listening');
    return ok(check, `${setting}: ${port} is free`);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
    if (code === 'EACCES') return fail(check, `${setting}: this user may not listen on ${port}; set a port above 1023`);
    if (await isOursAt(`http://${askedAt(listenHost)}:${port}`))
      return ok(check, `${setting}: Posthorn listens on ${port}`);
    return fail(check, `${setting}: another program listens on ${port}; stop it, or set another port`);
  } finally {
    server.close();
  }
}

/** The number of trusted proxies fits the address at which callers reach the service. */
export function checkProxyHops({
  publicBaseUrl,
  trustedProxyHops,
}: Pick<Config, 'publicBaseUrl' | 'trustedProxyHops'>): Finding {
  const check = 'proxyHops';
  const { protocol, host } = new URL(publicBaseUrl);
  if (protocol === 'https:' && trustedProxyHops === 0)
    return warn(
      check,
      'TRUSTED_PROXY_HOPS is 0, but PUBLIC_BASE_URL is https, so there is a proxy in front and all callers count as one address; set the number of proxies',
    );
  if (LOOPBACK.test(host) && trustedProxyHops > 0)
    return warn(
      check,
      `TRUSTED_PROXY_HOPS is ${trustedProxyHops}, but PUBLIC_BASE_URL is this machine; without a proxy, callers can choose the address that rate limits count, so set it to 0`,
    );
  return ok(check, `TRUSTED_PROXY_HOPS: ${trustedProxyHops} fits PUBLIC_BASE_URL`);
}

/** The data folder of a `start` has enough free space. `room`: for tests. */
export const checkDisk = (folder: string, room: typeof roomIn = roomIn): Promise<Finding> =>
  lookInto('disk', async () => {
    const bytes = await room(folder);
    const says = `${(bytes / GIB).toFixed(1)} GiB are free in ${folder}`;
    if (bytes >= DISK.warn) return ok('disk', says);
    const remedy = `${says}; free some space, or shorten the retention of channels`;
    return bytes < DISK.fail ? fail('disk', `${remedy}; PostgreSQL stops when the disk is full`) : warn('disk', remedy);
  });

async function roomIn(folder: string): Promise<number> {
  // The first start creates it.
  const { bavail, bsize } = await statfs(existsSync(folder) ? folder : '.');
  return bavail * bsize;
}

/** A process may open enough files for its connections. */
export function checkOpenFiles(descriptors: number = readMachine(1).descriptors): Finding {
  if (descriptors >= OPEN_FILES) return ok('openFiles', `a process may open ${descriptors} files`);
  return warn('openFiles', `a process may open ${descriptors} files; set ulimit -n to ${OPEN_FILES} or more`);
}

async function hasMetricsAt(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), redirect: 'manual' });
    return answer.ok && (await answer.text()).includes('posthorn_');
  } catch {
    return false;
  }
}

async function isPosthornAt(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), redirect: 'manual' });
    return answer.ok && answer.headers.get('x-request-id')?.startsWith('req_') === true;
  } catch {
    return false;
  }
}
