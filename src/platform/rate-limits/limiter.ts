import type { Logger } from 'pino';
import { ApiError } from '../../kernel/errors.ts';
import type { Limits } from '../../kernel/words/rights.ts';
import { type WindowCount, type Counters, createMemoryCounters } from './counters.ts';
import { createRedisCounters, type RedisTimings } from './redis-counters.ts';
import ipaddr from 'ipaddr.js';

/** Buckets of `batchPerMinute`. */
export type Bucket = 'batch' | 'transactional';

/** A route's own limit, counted by address. Routes with the same name share it. */
export type AddressLimit = { readonly name: string; readonly perMinute: number };

/** A limit per resource of a kind, such as a webhook. Each name has windows of its own. */
export type ThingLimit = { readonly name: string; readonly perMinute: number };

/**
 * Who is held responsible for rejected requests for resources: a sender of this service itself, if that is proven, otherwise an
 * address.
 */
type ThingAsker = { address: string; sender?: string | undefined };

/** Requests without a valid key, per address and 60 s. Many callers may share an address, and each request costs one lookup. */
const STRANGER_REQUESTS_PER_MINUTE = 600;

/** Spec §8. Reset is a Unix time in seconds. */
export type RateHeaders = {
  'X-RateLimit-Limit': string;
  'X-RateLimit-Remaining': string;
  'X-RateLimit-Reset': string;
};

/** Why a request is rejected, and after how many whole seconds (at least 1) it may be repeated. */
type LimitRefusal = { reason: string; retryAfter: number };

/** `release` is called once when the request is done, whether it was allowed or not. */
export type Allowance = {
  headers: RateHeaders;
  refusal?: LimitRefusal;
  release: () => void;
  /** Makes a rejected request for a resource count for its address or sender instead of the resource. */
  refused?: () => Promise<void>;
};

export type Limiter = {
  /** Counts a request of a principal by its id. `bucket` is the route's additional one, whose headers take precedence. */
  allow(principalId: string, limits: Limits, bucket?: Bucket): Promise<Allowance>;
  /** Counts a request without a valid credential by its address. */
  allowStranger(address: string): Promise<Allowance>;
  /** Counts any request by its address, for a limit of its route's own. */
  allowAddress(limit: AddressLimit, address: string): Promise<Allowance>;
  /**
   * Counts a request for a resource by the resource's id. An address with too many rejected requests is rejected, whatever it requests;
   * they count together with its requests without a valid key. A sender of this service itself is rejected only for its own.
   */
  allowThing(limit: ThingLimit, id: string, asker: ThingAsker): Promise<Allowance>;
  /** Counts a request in the window of that name; throws RATE_LIMITED if there were more than `perMinute` in 60 s. */
  countAgainst(name: string, perMinute: number): Promise<void>;
  /** Present if limits are shared: whether they really are at the moment. */
  isShared?: () => boolean;
  /** Present if limits are shared: rejects if they cannot be at the moment. */
  ask?: () => Promise<void>;
  close(): Promise<void>;
};

export type LimiterOptions = {
  /** If absent, limits are counted by `counters`. */
  redisUrl?: string | undefined;
  /** Counts without Redis, and while it is unavailable. Default: in the memory of this process. */
  counters?: Counters;
  /** Default: 200 ms per command (redis-counters.ts). */
  redisTimings?: Partial<RedisTimings>;
  log: Logger;
  /** Default: 600. */
  strangerRequestsPerMinute?: number;
  /** Replaces every route's own limit by address. */
  addressRequestsPerMinute?: number;
};

/**
 * The rate limits of the HTTP API. Windows of 60 s start with a caller's first request in them, and so do the seconds of the burst
 * limit.
 */
export function createLimiter({
  redisUrl,
  redisTimings,
  log,
  strangerRequestsPerMinute,
  addressRequestsPerMinute,
  counters: own = createMemoryCounters(),
}: LimiterOptions): Limiter {
  const shared = redisUrl === undefined ? undefined : createRedisCounters(redisUrl, log, redisTimings, own);
  const counters: Counters = shared ?? own;
  const strangerLimit = strangerRequestsPerMinute ?? STRANGER_REQUESTS_PER_MINUTE;

  return {
    allow: (principalId, limits, bucket) => allow(counters, principalId, limits, bucket),
    allowStranger: (address) => allowByAddress(counters, { name: 'address', perMinute: strangerLimit }, address),
    allowAddress: ({ name, perMinute }, address) =>
      allowByAddress(counters, { name, perMinute: addressRequestsPerMinute ?? perMinute }, address),
    allowThing: (limit, id, asker) => allowThing(counters, limit, id, { asker, strangerLimit }),
    async countAgainst(name, perMinute) {
      const refusal = overWindow(perMinute, await counters.add(name, 60));
      if (refusal !== undefined) throw new ApiError('RATE_LIMITED', refusal.reason, { retryAfter: refusal.retryAfter });
    },
    ...(shared && { isShared: shared.isUp, ask: shared.ask }),
    close: async () => shared?.close(),
  };
}

async function allowByAddress(
  counters: Counters,
  { name, perMinute }: AddressLimit,
  address: string,
): Promise<Allowance> {
  const minute = await counters.add(`${name}:${addressBucket(address)}`, 60);
  return {
    headers: headersOf(perMinute, minute),
    ...refusedBy(overWindow(perMinute, minute)),
    release: doNothing,
  };
}

/**
 * A provider's many valid requests come from few addresses, so these count only for the webhook. The asker's count is read by counting
 * and taking back at once.
 */
async function allowThing(
  counters: Counters,
  { name, perMinute }: ThingLimit,
  id: string,
  { asker: { address, sender }, strangerLimit }: { asker: ThingAsker; strangerLimit: number },
): Promise<Allowance> {
  const asker = sender === undefined ? `address:${addressBucket(address)}` : `sender:${sender}`;
  const names = { thing: `${name}:${id}`, asker };
  const [minute, refused] = await Promise.all([counters.add(names.thing, 60), counters.add(names.asker, 60)]);
  counters.giveBack(names.asker, 60);
  const ofAsker = overWindow(strangerLimit, refused, 'refused requests');
  const refusal = ofAsker ?? overWindow(perMinute, minute);
  if (refusal !== undefined) counters.giveBack(names.thing, 60);
  return {
    // A client waits for the window that rejected it; its webhook may have all of its requests left.
    headers:
      ofAsker === undefined
        ? headersOf(perMinute, minute, refusal === undefined ? 0 : 1)
        : headersOf(strangerLimit, refused),
    ...refusedBy(refusal),
    release: doNothing,
    async refused() {
      counters.giveBack(names.thing, 60);
      await counters.add(names.asker, 60);
    },
  };
}

/**
 * All counters are asked at once, which is one round trip to Redis on the hot path. A rejected request takes back its counts in the
 * one-minute windows, so that "retry in one second" is true; otherwise requests rejected for the burst would use up the minute. The
 * window of a second is over before anyone may retry.
 */
async function allow(
  counters: Counters,
  principalId: string,
  limits: Limits,
  bucket: Bucket | undefined,
): Promise<Allowance> {
  const names = {
    minute: `minute:${principalId}`,
    second: `second:${principalId}`,
    bucket: `${bucket}:${principalId}`,
  };
  const [minute, second, bucketed, leave] = await Promise.all([
    counters.add(names.minute, 60),
    counters.add(names.second, 1),
    bucket === undefined ? undefined : counters.add(names.bucket, 60),
    counters.enter(principalId, limits.concurrent),
  ]);
  const refusal =
    overBurst(limits.burst, second) ??
    (leave === undefined
      ? { reason: `More than ${limits.concurrent} requests in flight`, retryAfter: 1 }
      : undefined) ??
    (bucketed && overWindow(limits.batchPerMinute, bucketed, `${bucket} requests`)) ??
    overWindow(limits.requestsPerMinute, minute);
  if (refusal !== undefined) {
    counters.giveBack(names.minute, 60);
    if (bucketed !== undefined) counters.giveBack(names.bucket, 60);
    leave?.();
  }
  const given = refusal === undefined ? 0 : 1;
  return {
    headers:
      bucketed === undefined
        ? headersOf(limits.requestsPerMinute, minute, given)
        : headersOf(limits.batchPerMinute, bucketed, given),
    ...refusedBy(refusal),
    release: refusal === undefined && leave !== undefined ? leave : doNothing,
  };
}

const doNothing = (): void => undefined;

const refusedBy = (refusal: LimitRefusal | undefined): { refusal?: LimitRefusal } =>
  refusal === undefined ? {} : { refusal };

function overWindow(
  limit: number,
  { count, millisecondsLeft }: WindowCount,
  what = 'requests',
): LimitRefusal | undefined {
  if (count <= limit) return undefined;
  return {
    reason: `More than ${limit} ${what} in 60 seconds`,
    retryAfter: Math.max(1, Math.ceil(millisecondsLeft / 1000)),
  };
}

function overBurst(limit: number, { count }: WindowCount): LimitRefusal | undefined {
  return count <= limit ? undefined : { reason: `More than ${limit} requests in one second`, retryAfter: 1 };
}

/** `givenBack` requests are included in the count, but have been taken back. */
function headersOf(limit: number, { count, millisecondsLeft }: WindowCount, givenBack = 0): RateHeaders {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.max(0, limit - count + givenBack)),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + millisecondsLeft) / 1000)),
  };
}

/** The bucket that an address counts in: IPv4 by itself, IPv6 by its /64, which is what one customer of a provider has. */
export function addressBucket(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  // process() turns ::ffff:a.b.c.d into a.b.c.d, so that a dual-stack socket does not create a second bucket.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
    return `${network.join(':')}::/64`;
  }
  return parsed.toString();
}
