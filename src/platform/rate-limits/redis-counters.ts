import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Counters, createMemoryCounters, UNLIMITED_POINTS } from './counters.ts';

/** Longest wait for Redis per request. Then this process counts by itself, because a hanging Redis must not block publishing. */
const COMMAND_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 2_000;
/** Longest pause between attempts to reconnect to Redis. */
const MAX_RECONNECT_DELAY_MS = 2_000;

/**
 * A concurrency slot is released after this time, so that the slots of a killed process become free again. A request takes less: 30 s
 * to arrive (http/server.ts) plus its queries. A stream takes longer and renews its lease.
 */
export const PLACE_LEASE_MS = 90_000;
/** Interval of lease renewals: one may fail or be late. */
const RENEW_MS = 30_000;

/** Timings of a Redis connection in ms: the timeout per command, and the interval of lease renewals. */
export type RedisTimings = { commandMs: number; renewMs: number };
const REDIS_TIMINGS: RedisTimings = { commandMs: COMMAND_TIMEOUT_MS, renewMs: RENEW_MS };

// Uses Redis's own clock, so that processes with different clocks agree on the end of a lease.
const ENTER = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

const RENEW = `
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2]), ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** `ask` rejects if Redis does not respond. */
export type RedisCounters = Counters & { isUp(): boolean; ask(): Promise<void>; close(): Promise<void> };

/**
 * Counters shared by all processes. While Redis is unavailable, `insurance` counts (limits then apply to this process or its
 * supervisor, not to all), and the log says so once per outage.
 */
export function createRedisCounters(
  redisUrl: string,
  log: Logger,
  timings: Partial<RedisTimings> = {},
  insurance: Counters = createMemoryCounters(),
): RedisCounters {
  const { commandMs, renewMs } = { ...REDIS_TIMINGS, ...timings };
  const redis = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (tries) => Math.min(tries * 100, MAX_RECONNECT_DELAY_MS),
  });
  const windowOf = (seconds: 1 | 60): RateLimiterRedis =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `posthorn:limit:${seconds}`,
      points: UNLIMITED_POINTS,
      duration: seconds,
      rejectIfRedisNotReady: true,
    });
  const windows = { 1: windowOf(1), 60: windowOf(60) };

  let isAway = false;
  const noteAway = (error: unknown): void => {
    if (isAway) return;
    isAway = true;
    log.warn({ server: 'Redis', err: error }, 'Redis is unavailable; rate limits are counted in this process');
  };
  const noteBack = (): void => {
    isAway = false;
  };
  // A failure from the start means a wrong setting, or a Redis that is not running; each such failure is logged once.
  let hasBeenReady = false;
  const told = new Set<string>();
  const tellSetting = (error: unknown): void => {
    const sentence = redisTrouble(redisUrl, error);
    if (hasBeenReady || told.has(sentence)) return;
    told.add(sentence);
    log.warn({ server: 'Redis', err: error }, sentence);
  };
  // Without a listener, an error event of ioredis would be thrown and end the process.
  redis.on('error', (error) => {
    tellSetting(error);
    noteAway(error);
  });
  redis.on('ready', () => {
    hasBeenReady = true;
    noteBack();
  });
  // rate-limiter-flexible's insuranceLimiter does the same for counts. This code also covers slots, and logs.
  const insured = async <T>(shared: () => Promise<T>, alone: () => Promise<T>): Promise<T> => {
    try {
      const result = await shared();
      noteBack();
      return result;
    } catch (error) {
      noteAway(error);
      return alone();
    }
  };

  /** Slots by their id, with their key and the time of their last write, in ms of this process's clock. */
  const taken = new Map<string, { key: string; at: number }>();
  const renewal = setInterval(() => {
    const now = performance.now();
    for (const [place, held] of taken) {
      if (now - held.at < renewMs) continue;
      held.at = now;
      // Sent after the ZADD and before the ZREM of its slot, on the same connection, so it never creates a removed one again.
      redis.eval(RENEW, 1, held.key, place, PLACE_LEASE_MS).catch(noteAway);
    }
  }, renewMs);
  renewal.unref();

  return {
    isUp: () => redis.status === 'ready' && !isAway,
    async ask() {
      await redis.ping();
      noteBack();
    },
    add: (name, seconds) =>
      insured(
        async () => {
          const { consumedPoints, msBeforeNext } = await windows[seconds].consume(name);
          return { count: consumedPoints, millisecondsLeft: msBeforeNext };
        },
        () => insurance.add(name, seconds),
      ),
    giveBack(name, seconds) {
      windows[seconds].reward(name).catch(() => insurance.giveBack(name, seconds));
    },
    enter: (name, places) =>
      insured(
        async () => {
          const key = `posthorn:in-flight:${name}`;
          const place = randomUUID();
          const isIn = await redis.eval(ENTER, 1, key, places, place, PLACE_LEASE_MS);
          // A slot that cannot be released now becomes free when its lease ends.
          if (isIn !== 1) return undefined;
          taken.set(place, { key, at: performance.now() });
          return () => {
            taken.delete(place);
            void redis.zrem(key, place).catch(noteAway);
          };
        },
        () => insurance.enter(name, places),
      ),
    async close() {
      clearInterval(renewal);
      redis.disconnect();
    },
  };
}

/** Error names of ioredis, Redis and Node; the first match is used. */
const TROUBLES: readonly (readonly [says: RegExp, advice: string])[] = [
  [/ECONNREFUSED/, 'nothing listens there; start Redis, or correct host and port'],
  [/ENOTFOUND|EAI_AGAIN/, 'its host name cannot be resolved; correct it'],
  [/WRONGPASS|invalid password|invalid username/i, 'it rejects the password; correct it, with %40 for @ and so on'],
  [/NOAUTH/, 'it requires a password; add it, as in redis://:password@host'],
  [/NOPERM/, 'this user lacks rights for rate limiting; allow the keys posthorn:*'],
  [/DB index|SELECT is not allowed/i, 'it has no database with that number; correct the end of the URL'],
  [/certificate|altname|self.signed/i, 'its certificate is not trusted here; set NODE_EXTRA_CA_CERTS'],
  [/wrong version number|ERR_SSL|EPROTO/, 'it does not use TLS; begin the URL with redis://'],
  [/Protocol error/, 'it is something other than Redis; correct host and port'],
  [
    /isn't writeable|Connection is closed|ECONNRESET|EPIPE/,
    'it closes the connection; if it uses TLS, begin the URL with rediss://',
  ],
];

/** A Redis without TLS does not respond to a TLS handshake, and waits. */
const silence = (redisUrl: string): string =>
  redisUrl.startsWith('rediss:')
    ? 'it does not respond; check the firewalls in between, or begin the URL with redis:// if it does not use TLS'
    : 'it does not respond; check the firewalls in between';

/** One sentence for the operator: which Redis, the problem, the remedy. Never contains the password. */
export function redisTrouble(redisUrl: string, failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  const text = `${code} ${String(failure)}`;
  const advice = TROUBLES.find(([says]) => says.test(text))?.[1] ?? silence(redisUrl);
  return `REDIS_URL: Redis at ${new URL(redisUrl).host} cannot be used: ${advice}`;
}
