import type { EventEmitter } from 'node:events';
import { type buildConnector, Client } from 'undici';
import { createInterimAnswers, createReadBound } from './read-bound.ts';
import { OutboundError } from './error-class.ts';

/**
 * Largest header block of a response, in bytes. A delivery whose response has more is retried, so the limit is above those of the usual
 * proxies: up to 32 KiB in HAProxy and nginx, 60 KiB in Envoy.
 */
export const MAX_HEADER_BYTES = 65_536;

/**
 * How long an idle connection is kept, in ms, whatever the receiver offers. Most servers close theirs after 5 s (Node) or later, so
 * ours closes first and is rarely reused at the moment it is being closed. All idle connections are kept: with at most 50 per origin, a
 * fan-out to ten subscriptions of one host, 200 requests at a time, opened and closed most of its connections, which took 25 to 30 % of
 * its CPU.
 */
const IDLE_CONNECTION_MS = 4_000;
/** Margin below a receiver's own `Keep-Alive: timeout=n`, in ms, for network delay and rounding to seconds. */
const IDLE_MARGIN_MS = 1_000;

/** Age at which a connection is replaced, in ms: a host that moves is followed within this time. */
const CONNECTION_LIFE_MS = 60_000;

/** A request after `close`: a mistake of the caller, not a failure of the receiver. */
export class SenderClosedError extends Error {}

export type ConnectionsOptions = {
  connect: buildConnector.connector;
  /** Concurrent requests to one origin per group of senders, so that a slow group never takes the slots of another. */
  perGroup: number;
  /** Number of origins whose idle connections are kept. */
  maxOrigins: number;
  /** Maximum number of connections. Beyond it, an idle one is closed for each that is opened; the caller limits those in use. */
  maxConnections: number;
};

/** The right to send one request. Exactly one of `release` and `destroy` ends it; later calls do nothing. */
export type Lease = {
  client: Client;
  /** When its connection was opened, by `performance.now()`; infinite before that. */
  openedAt(): number;
  /** Called before the request is written; `bodyBytes` of the response body will be read. */
  expectAnswer(bodyBytes: number): void;
  /** The response has been read to its end, so the connection may be reused. */
  release(): void;
  /** Ends the connection at any point; a request in progress rejects with `reason`. */
  destroy(reason: Error): void;
};

export type ConnectionsGauge = { open: number; inUse: number; origins: number };

export type ConnectionPool = {
  /**
   * Acquires one of the group's slots at the origin: at once if one is free, otherwise first come, first served. Rejects with the
   * deadline's reason. Throws SenderClosedError after `close`.
   */
  acquire(origin: string, group: string, deadline: Deadline): Lease | Promise<Lease>;
  /** Known origins: those with idle connections or with requests in progress. */
  readonly origins: number;
  /** Connections that are open or being opened, those with a request in progress, and origins. */
  gauge(): ConnectionsGauge;
  /** Rejects new requests and waits, without a time limit, for those in progress or waiting for a slot. */
  close(): Promise<void>;
};

/** `openedAt`: infinite while it is not open. */
type Connection = { client: Client; bornAt: number; openedAt: number; expectAnswer(bodyBytes: number): void };
type Waiter = { admit(): void };
type Group = { name: string; inUse: number; waiters: Set<Waiter> };
type Origin = { name: string; idle: Connection[]; inUse: number; groups: Map<string, Group> };

/**
 * Keeps connections by origin, reuses the most recently used first, and allows `perGroup` concurrent requests per group. A group is a
 * subscription: many of them may share a host (an automation service, a gateway), and one that hangs there must not block the others.
 * Idle connections are shared, and all of them are kept until they have been idle for too long, because the same burst would open them
 * again.
 *
 * Uses one undici Client per connection instead of a Pool, for two reasons. A Pool that aborts a request opens a new connection for it,
 * so every timeout costs the slow receiver another TLS handshake (undici 7.30.2), whereas a Client can be destroyed. And a request in a
 * Pool's queue notices its abort only when it is sent. Beyond `maxOrigins`, the idle connections of the least recently used origin are
 * closed; those in use never are.
 */
export function createConnectionPool(options: ConnectionsOptions): ConnectionPool {
  const { connect, perGroup, maxOrigins, maxConnections } = options;
  // In order of last use: a Map iterates in insertion order, and `touch` moves an entry to its end.
  const origins = new Map<string, Origin>();
  const closing = new Set<Promise<void>>();
  let isClosed = false;
  let opened = 0;
  let reportIdle: (() => void) | undefined;

  const isBusy = (): boolean => [...origins.values()].some(({ inUse }) => inUse > 0);

  /** Closes the connection that has been idle for longest, of the least recently used origin. */
  function closeOneIdle(): void {
    for (const { idle } of origins.values()) {
      const connection = idle.shift();
      if (connection !== undefined) return follow(connection.client.close());
    }
  }

  /** Accounts for the end of a connection. Called once for each. */
  function follow(ending: Promise<void>): void {
    opened -= 1;
    const done = ending.catch(() => undefined).finally(() => closing.delete(done));
    closing.add(done);
  }

  function open(origin: Origin): Connection {
    opened += 1;
    if (opened > maxConnections) closeOneIdle();
    const bound = createReadBound(connect, MAX_HEADER_BYTES);
    const answers = createInterimAnswers(bound.connect);
    const client = new Client(origin.name, {
      connect: (target, callback) =>
        answers.connect(target, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          connection.openedAt = performance.now();
          return callback(null, socket);
        }),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
      // The sender's own deadline covers everything; timeouts between bytes would never fire for a receiver that trickles.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: Connection = {
      client,
      bornAt: performance.now(),
      openedAt: Number.POSITIVE_INFINITY,
      expectAnswer(bodyBytes) {
        bound.expect(bodyBytes);
        answers.expect();
      },
    };
    // undici emits errors that its own handlers throw; without a listener they would end the process.
    const emitter: EventEmitter = client;
    emitter.on('error', () => undefined);
    emitter.on('disconnect', () => {
      connection.openedAt = Number.POSITIVE_INFINITY;
      // The first one has been idle for longest.
      const place = origin.idle.indexOf(connection);
      if (place < 0) return;
      origin.idle.splice(place, 1);
      follow(client.close());
    });
    return connection;
  }

  function evict(): void {
    for (const origin of origins.values()) {
      if (origins.size <= maxOrigins) return;
      if (origin.inUse > 0) continue;
      origins.delete(origin.name);
      for (const { client } of origin.idle.splice(0)) follow(client.close());
    }
  }

  function touch(name: string): Origin {
    const origin = origins.get(name) ?? { name, idle: [], inUse: 0, groups: new Map() };
    origins.delete(name);
    origins.set(name, origin);
    return origin;
  }

  function groupOf(origin: Origin, name: string): Group {
    const group = origin.groups.get(name) ?? { name, inUse: 0, waiters: new Set() };
    origin.groups.set(name, group);
    return group;
  }

  function leave(origin: Origin, group: Group): void {
    const [next] = group.waiters;
    if (next !== undefined) {
      // The slot passes to the next waiter without becoming free.
      group.waiters.delete(next);
      next.admit();
      return;
    }
    group.inUse -= 1;
    origin.inUse -= 1;
    if (group.inUse === 0) origin.groups.delete(group.name);
    if (origin.inUse === 0) evict();
    if (reportIdle !== undefined && !isBusy()) reportIdle();
  }

  function waitForPlace(group: Group, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { admit: resolve };
      group.waiters.add(waiter);
      deadline.onEnd('no connection to the receiver was free', (reason) => {
        group.waiters.delete(waiter);
        reject(reason);
      });
    });
  }

  function takeConnection(origin: Origin): Connection {
    for (let kept = origin.idle.pop(); kept !== undefined; kept = origin.idle.pop()) {
      if (performance.now() - kept.bornAt <= CONNECTION_LIFE_MS) return kept;
      follow(kept.client.close());
    }
    return open(origin);
  }

  function lend(origin: Origin, group: Group): Lease {
    const connection = takeConnection(origin);
    let isOver = false;
    const isEnded = (): boolean => {
      const was = isOver;
      isOver = true;
      return was;
    };
    return {
      client: connection.client,
      openedAt: () => connection.openedAt,
      expectAnswer: connection.expectAnswer,
      release() {
        if (isEnded()) return;
        // A receiver may close its connection with the response.
        if (connection.openedAt < Number.POSITIVE_INFINITY) origin.idle.push(connection);
        else follow(connection.client.close());
        leave(origin, group);
      },
      destroy(reason) {
        if (isEnded()) return;
        follow(connection.client.destroy(reason));
        leave(origin, group);
      },
    };
  }

  return {
    acquire(name, groupName, deadline) {
      if (isClosed) throw new SenderClosedError('The webhook sender is closed');
      const origin = touch(name);
      const group = groupOf(origin, groupName);
      if (group.inUse >= perGroup) return waitForPlace(group, deadline).then(() => lend(origin, group));
      group.inUse += 1;
      origin.inUse += 1;
      evict();
      return lend(origin, group);
    },
    get origins() {
      return origins.size;
    },
    gauge: () => ({
      open: opened,
      inUse: [...origins.values()].reduce((sum, { inUse }) => sum + inUse, 0),
      origins: origins.size,
    }),
    async close() {
      isClosed = true;
      // Waiting requests are admitted as slots become free, so a slot in use stands for all of them.
      if (isBusy()) {
        await new Promise<void>((resolve) => {
          reportIdle = resolve;
        });
      }
      for (const { idle } of origins.values()) for (const { client } of idle) follow(client.close());
      origins.clear();
      await Promise.all(closing);
    },
  };
}

/** The deadline of an attempt, with one listener at a time: first the wait for a connection, then the connection. */
type Deadline = {
  /** Replaces the listener, which is called when the time is over, and the words that say what did not happen in time. */
  onEnd(what: string, listener: (reason: Error) => void): void;
  /** The attempt is over, so no listener is called any more. */
  stop(): void;
};

/** Not an AbortSignal, which would cost an object and an event per request. */
export function startDeadline(timeoutMs: number): Deadline {
  let what = 'no response arrived';
  let tell: ((reason: Error) => void) | undefined;
  const timer = setTimeout(() => tell?.(new OutboundError('timeout', `${what} within ${timeoutMs} ms`)), timeoutMs);
  return {
    onEnd(words, listener) {
      what = words;
      tell = listener;
    },
    stop: () => clearTimeout(timer),
  };
}
