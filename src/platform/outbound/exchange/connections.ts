import type { EventEmitter } from 'node:events';
import { type buildConnector, Client } from 'undici';
import { createInterimAnswers, createReadBound } from './read-bound.ts';
import { OutboundError } from './error-class.ts';

/**
 * Largest header block of a response, in bytes. A delivery whose response has more is sent again, so the bound is
 * above those of the usual proxies: 32 KiB in HAProxy and nginx at the most, 60 KiB in Envoy.
 */
export const MAX_HEADER_BYTES = 65_536;

/**
 * Time for which an idle connection is kept, in ms, whatever the receiver offers. Most servers close theirs after 5 s (Node) or later,
 * so ours goes first and is seldom used in the instant in which it is closed.
 */
const IDLE_CONNECTION_MS = 4_000;
/** Margin (ms) below a receiver's own `Keep-Alive: timeout=n`, for the way there and its rounding to seconds. */
const IDLE_MARGIN_MS = 1_000;

/** Age (ms) at which another connection replaces one: a host that moves is followed within this time. */
const CONNECTION_LIFE_MS = 60_000;

/** A request after `close`: a mistake of the caller, never the receiver's fault. */
export class SenderClosedError extends Error {}

export type ConnectionsOptions = {
  connect: buildConnector.connector;
  /** Requests at a time to one origin of one group of senders: a slow group never takes the places of another. */
  perGroup: number;
  /** Origins whose idle connections are kept. */
  maxOrigins: number;
  /** Connections in all. Beyond it an idle one is closed for each that is opened; the caller bounds those in use. */
  maxConnections: number;
};

/** The right to send one request. Exactly one of `release` and `destroy` ends it; later calls do nothing. */
export type Lease = {
  client: Client;
  /** The time at which its connection was open, by `performance.now()`; infinite before. */
  openedAt(): number;
  /** The request is about to be written, and `bodyBytes` of the body of its response will be read. */
  expectAnswer(bodyBytes: number): void;
  /** The answer has been read to its end: the connection may be used again. */
  release(): void;
  /** Ends the connection at any point; a request that is under way rejects with `reason`. */
  destroy(reason: Error): void;
};

export type ConnectionsGauge = { open: number; inUse: number; origins: number };

export type ConnectionPool = {
  /**
   * One of the group's places at the origin: at once where one is free, else first come first served. Rejects with the deadline's
   * reason. Throws SenderClosedError after `close`.
   */
  acquire(origin: string, group: string, deadline: Deadline): Lease | Promise<Lease>;
  /** Known origins: with idle connections, or with requests under way. */
  readonly origins: number;
  /** Connections that are open or being opened, those with a request under way, and origins. */
  gauge(): ConnectionsGauge;
  /** Refuses new requests and waits for those under way or waiting for a place, as long as they take. */
  close(): Promise<void>;
};

/** `openedAt`: infinite while it is not open. */
type Connection = { client: Client; bornAt: number; openedAt: number; expectAnswer(bodyBytes: number): void };
type Waiter = { admit(): void };
type Group = { name: string; inUse: number; waiters: Set<Waiter> };
type Origin = { name: string; idle: Connection[]; inUse: number; groups: Map<string, Group> };

/**
 * Connections by origin, the one used last is used first, at most `perGroup` at a time for each group. A group is a subscription: many
 * of them stand behind one host (an automation service, a gateway), and one that hangs there must not hold the others up. Idle
 * connections are shared, and all of them are kept until they have been idle for too long, because the same burst would open them
 * again. One undici Client per connection and not a Pool, for two reasons. A Pool that is told to abort a request opens a new
 * connection for it, so that every timeout costs the slow receiver another TLS handshake (undici 7.30.2); a Client can be destroyed.
 * And a request in a Pool's queue notices its abort only when it is sent. Beyond `maxOrigins` the idle connections of the origin
 * unused for the longest time are closed; those in use never are.
 */
export function createConnectionPool(options: ConnectionsOptions): ConnectionPool {
  const { connect, perGroup, maxOrigins, maxConnections } = options;
  // In order of last use: a Map iterates as it was filled, and `touch` moves an entry to its end.
  const origins = new Map<string, Origin>();
  const closing = new Set<Promise<void>>();
  let isClosed = false;
  let opened = 0;
  let reportIdle: (() => void) | undefined;

  const isBusy = (): boolean => [...origins.values()].some(({ inUse }) => inUse > 0);

  /** Closes the connection that has been idle for longest, of the origin whose last use is longest ago. */
  function closeOneIdle(): void {
    for (const { idle } of origins.values()) {
      const connection = idle.shift();
      if (connection !== undefined) return follow(connection.client.close());
    }
  }

  /** A connection ends, each once. */
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
      // The sender's one deadline ends everything; timers between bytes never fire on a receiver that drips.
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
    // undici emits what its own handlers throw; without a listener that would end the process.
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
      // The place goes on to the next one without ever being free.
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
        // A receiver may close its connection with the answer.
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
      // Waiting requests are let in as places become free: a place in use stands for all of them.
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

/** The end of one attempt's time, with one listener at a time: the wait for a connection, then the connection. */
type Deadline = {
  /** Replaces the listener, which is told once the time is over, and the words that say what did not happen in time. */
  onEnd(what: string, listener: (reason: Error) => void): void;
  /** The attempt is over: nobody is told any more. */
  stop(): void;
};

/** No AbortSignal: one would cost an object and an event for each request. */
export function startDeadline(timeoutMs: number): Deadline {
  let what = 'no answer came';
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
