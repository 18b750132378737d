import type { Logger } from 'pino';
import { type DeliveryToAttempt, RECORDING_MS } from '../../kernel/contract/delivery-workflow.ts';
import { CIRCUIT_OPEN_MS, CIRCUIT_OPENS_AT, type Passage } from '../../kernel/rules/circuit.ts';
import type { RefusedTry } from '../attempt/attempt.ts';
import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import { type Rank, shareOf } from '../../kernel/rules/rank.ts';
import type { Pressure } from './adaptive-limit.ts';
import type { CircuitChange, Circuits } from './circuit-store.ts';
import type { ConcurrencyGauge } from './concurrency-store.ts';
import { createPlaces, type LimitSettings, type PlaceOrWait, type Places } from './places.ts';

/** What admission needs of a subscription, as read for an attempt. */
export type Admitted = Pick<
  DeliveryToAttempt['subscription'],
  'id' | 'timeoutMs' | 'maxConcurrency' | 'rateLimit' | 'hasCircuitBreaker' | 'circuitProbeInMs' | 'readAt'
>;

/** A slot for an attempt until `leave`, or the time in ms during which none is allowed. */
export type Entry = (Extract<PlaceOrWait, { ok: true }> & Passage) | ({ ok: false } & RefusedTry);

/** What the result of an attempt says about its receiver. */
export type TryResult = Pick<SendResult, 'isDelivered' | 'response' | 'error' | 'answeredAfterMs'>;

/** Load of the receiver. A failure for another reason says nothing about it. */
function pressureOf({ isDelivered, response, error }: TryResult): Pressure {
  if (isDelivered) return 'good';
  if (response?.status === 429) return 'busy';
  const isLost = response?.status === 503 || error?.class === 'timeout' || error?.class === 'connect';
  return isLost ? 'lost' : 'other';
}

/**
 * Admission control: decides for every attempt of this process whether it may be made now, by the `maxConcurrency`,
 * `rateLimit` and circuit breaker of its subscription. Every live worker has its share of the limits. The circuit is
 * shared through PostgreSQL, but each process counts only its own attempts.
 */
export type Admission = {
  /**
   * Decides at once. A caller that is given a probe must call `takeProbe` before sending. A final attempt passes an
   * open circuit.
   */
  enter(subscription: Admitted, isLastChance: boolean): Entry;
  /** Waits up to `patienceMs` for a slot, longest waiting first. Claims a probe itself. */
  admit(
    subscription: Admitted,
    options: { patienceMs: number; signal: AbortSignal; isLastChance: boolean },
  ): Promise<Entry>;
  /** Whether this attempt is the one probe that all processes together may send. */
  takeProbe(subscription: Admitted): Promise<boolean>;
  /**
   * Counts the result of an admitted attempt for the circuit and the limit, before its slot is released. A delivered
   * final attempt counts like a probe; a failed one says nothing new. Resolves when PostgreSQL has stored the
   * consequences; never rejects.
   */
  observe(subscription: Admitted, entry: Extract<Entry, { ok: true }>, sent: TryResult): Promise<void>;
  /** Updates circuits from rows that a claim has just read. */
  learn(claimed: readonly ({ subscriptionId: string } & Pick<Admitted, 'circuitProbeInMs' | 'readAt'>)[]): void;
  /** How many attempts are worth starting: 0 while the circuit is open or all slots are taken. */
  limitOf(subscriptionId: string): number;
  /** This process's slots of a `maxConcurrency` that several processes share; undefined if nothing is shared. */
  dividedPlaces(subscriptionId: string): { own: number; all: number } | undefined;
  /** Stores a `maxConcurrency` that a publish has just read, before the first attempt. */
  meet(subscription: Admitted | undefined): void;
  /** Whether the circuit currently allows no attempts. */
  isOpen(subscriptionId: string): boolean;
  /** Whether any circuit is not closed. */
  hasOpen(): boolean;
  /** Whether the circuit is closed, as far as this process knows. */
  isClosed(subscriptionId: string): boolean;
  /**
   * Concurrency of every subscription that has requests in flight, or had more than two attempts in the last minute.
   */
  gauges(): ConcurrencyGauge[];
};

type KnownCircuit = {
  /** When the next probe may be sent, in ms; undefined while closed. */
  probeAt: number | undefined;
  /** When that became known. Data read earlier is ignored. */
  knownAt: number;
  /** Number of changes in progress. Data read meanwhile may be older than they are. */
  changes: number;
};

type State = {
  places: Places;
  /** Settings as last read. A waiting delivery may have been read before a change. */
  settings: LimitSettings & { readAt: number };
  circuit: KnownCircuit;
  window: FailureWindow;
  /** When an attempt was last made, in ms, and how many were made without a pause as long as `SHOWN.forMs`. */
  usedAt: number;
  used: number;
};

// Concurrency is reported only for subscriptions with this many attempts within this time (ms). Otherwise one message
// to thousands of subscriptions would write a row for each and remove it again.
const SHOWN = { forMs: 60_000, tries: 3 };
// Subscriptions kept in memory. The least recently added is evicted first, unless it has an attempt in progress or an
// open circuit.
const REMEMBERED = 10_000;

export function createAdmission(deps: {
  /** ms of performance.now(), like `readAt`. */
  now: () => number;
  /** Index of this process among the live ones. */
  rank: () => Rank;
  circuits: Circuits;
  log: Logger;
}): Admission {
  const { now, circuits, log } = deps;
  const states = new Map<string, State>();
  const notClosed = new Set<string>();

  const stateOf = (id: string) => {
    const known = states.get(id);
    if (known !== undefined) return known;
    for (const [oldId, { places }] of states) {
      if (states.size < REMEMBERED) break;
      if (places.isIdle() && !notClosed.has(oldId)) states.delete(oldId);
    }
    const state: State = {
      settings: { maxConcurrency: null, rateLimit: null, readAt: Number.NEGATIVE_INFINITY },
      places: createPlaces({ now, rank: deps.rank }),
      circuit: { probeAt: undefined, knownAt: Number.NEGATIVE_INFINITY, changes: 0 },
      window: createFailureWindow(),
      usedAt: Number.NEGATIVE_INFINITY,
      used: 0,
    };
    states.set(id, state);
    return state;
  };

  const setCircuit = (id: string, probeAt: number | undefined, knownAt: number): void => {
    const { circuit, window } = stateOf(id);
    // Failures before the circuit closed say nothing about the time after.
    if (circuit.probeAt !== undefined && probeAt === undefined) window.clear();
    circuit.probeAt = probeAt;
    circuit.knownAt = knownAt;
    if (probeAt === undefined) notClosed.delete(id);
    else notClosed.add(id);
  };

  const read = (id: string, { circuitProbeInMs, readAt }: Pick<Admitted, 'circuitProbeInMs' | 'readAt'>): void => {
    const known = states.get(id)?.circuit;
    if (known !== undefined && (readAt < known.knownAt || known.changes > 0)) return;
    if (circuitProbeInMs === null && known?.probeAt === undefined) return;
    setCircuit(id, circuitProbeInMs === null ? undefined : readAt + circuitProbeInMs, readAt);
  };

  /** Changes the circuit in PostgreSQL and stores the result. If that fails, the state here stays. */
  const change = async (id: string, work: () => Promise<CircuitChange>): Promise<boolean> => {
    const { circuit } = stateOf(id);
    circuit.changes += 1;
    try {
      const { isChanged, probeInMs } = await work();
      setCircuit(id, probeInMs === null ? undefined : now() + probeInMs, now());
      return isChanged;
    } catch (error) {
      log.warn(
        { err: error, subscriptionId: id },
        'could not write the state of a circuit; this process keeps the state it knows',
      );
      return false;
    } finally {
      circuit.changes -= 1;
    }
  };

  /**
   * Returns the decision of the circuit for an attempt now: undefined if closed, `probe` if this attempt would be one,
   * otherwise the ms to wait.
   */
  const askCircuit = (id: string): 'probe' | number | undefined => {
    const probeAt = states.get(id)?.circuit.probeAt;
    if (probeAt === undefined) return undefined;
    const inMs = probeAt - now();
    return inMs > 0 ? inMs : 'probe';
  };

  const takeProbe: Admission['takeProbe'] = async ({ id, timeoutMs }) => {
    const isTaken = await change(id, () => circuits.takeProbe(id, timeoutMs + RECORDING_MS));
    // Another probe may have closed the circuit meanwhile; then this is an ordinary attempt.
    return isTaken || stateOf(id).circuit.probeAt === undefined;
  };

  const toEntry = (subscription: Admitted, place: Extract<PlaceOrWait, { ok: true }>, isLastChance: boolean): Entry => {
    const { id, timeoutMs } = subscription;
    const circuit = askCircuit(id);
    if (typeof circuit === 'number' && isLastChance) return { ...place, isProbe: false, isLastChance };
    if (typeof circuit === 'number') {
      place.leave();
      return { ok: false, inMs: circuit, reason: 'circuit' };
    }
    // One probe of this process at a time, before PostgreSQL is asked.
    if (circuit === 'probe') setCircuit(id, now() + timeoutMs + RECORDING_MS, now());
    return { ...place, isProbe: circuit === 'probe', isLastChance: false };
  };

  /** Returns the state with the newest settings of the subscription. */
  const stateFor = (subscription: Admitted): State => {
    const state = stateOf(subscription.id);
    if (subscription.readAt >= state.settings.readAt) state.settings = subscription;
    return state;
  };

  const refusedByCircuit = (subscription: Admitted, isLastChance: boolean): Entry | undefined => {
    read(subscription.id, subscription);
    const circuit = askCircuit(subscription.id);
    return typeof circuit === 'number' && !isLastChance ? { ok: false, inMs: circuit, reason: 'circuit' } : undefined;
  };

  return {
    enter(subscription, isLastChance) {
      const refused = refusedByCircuit(subscription, isLastChance);
      if (refused !== undefined) return refused;
      const { places, settings } = stateFor(subscription);
      const place = places.enter(settings);
      return place.ok ? toEntry(subscription, place, isLastChance) : place;
    },

    async admit(subscription, { isLastChance, ...options }) {
      const refused = refusedByCircuit(subscription, isLastChance);
      if (refused !== undefined) return refused;
      const { places, settings } = stateFor(subscription);
      const place = await places.wait(settings, options);
      if (!place.ok) return place;
      const entry = toEntry(subscription, place, isLastChance);
      if (!entry.ok || !entry.isProbe || (await takeProbe(subscription))) return entry;
      if (isLastChance) return { ...entry, isProbe: false, isLastChance };
      entry.leave();
      return {
        ok: false,
        inMs: Math.max(0, (states.get(subscription.id)?.circuit.probeAt ?? 0) - now()),
        reason: 'circuit',
      };
    },

    takeProbe,
    learn(claimed) {
      for (const delivery of claimed) read(delivery.subscriptionId, delivery);
    },

    async observe({ id, hasCircuitBreaker }, { isProbe, isLastChance, answered }, sent) {
      const state = stateOf(id);
      const { circuit, window } = state;
      const { isDelivered } = sent;
      state.used = now() - state.usedAt < SHOWN.forMs ? state.used + 1 : 1;
      state.usedAt = now();
      answered(pressureOf(sent), sent.answeredAfterMs ?? sent.response?.latencyMs ?? 0);
      if (isProbe || (isLastChance && isDelivered)) {
        await change(id, () => (isDelivered ? circuits.close(id) : circuits.reopen(id)));
        return;
      }
      // An attempt that was in progress when the circuit opened neither closes it nor counts.
      if (circuit.probeAt !== undefined || !hasCircuitBreaker) return;
      window.add(isDelivered, now());
      if (isDelivered || !window.isFailing(now())) return;
      setCircuit(id, now() + CIRCUIT_OPEN_MS, now());
      if (await change(id, () => circuits.open(id)))
        log.info(
          { subscriptionId: id },
          'opened the circuit of a subscription because its deliveries fail; they wait until a probe succeeds',
        );
    },

    limitOf(id) {
      const state = states.get(id);
      if (state === undefined) return Number.POSITIVE_INFINITY;
      const circuit = askCircuit(id);
      if (typeof circuit === 'number') return 0;
      return circuit === 'probe' ? 1 : state.places.startable();
    },

    dividedPlaces(id) {
      const all = states.get(id)?.settings.maxConcurrency ?? null;
      return all === null || deps.rank().of === 1 ? undefined : { own: shareOf(all, deps.rank()), all };
    },
    meet(subscription) {
      if (subscription !== undefined && subscription.maxConcurrency !== null) stateFor(subscription);
    },

    isOpen: (id) => typeof askCircuit(id) === 'number',
    hasOpen: () => notClosed.size > 0,
    isClosed: (id) => !notClosed.has(id),
    gauges() {
      const shown: ConcurrencyGauge[] = [];
      for (const [subscriptionId, { places, usedAt, used }] of states) {
        const gauge = places.gauge();
        const isUsed = used >= SHOWN.tries && now() - usedAt < SHOWN.forMs;
        if (isUsed || gauge.inFlight > 0) shown.push({ subscriptionId, ...gauge });
      }
      return shown;
    },
  };
}

// The window moves in steps of a thirtieth, so that attempts are counted and not stored.
const PARTS = 30;
const PART_MS = CIRCUIT_OPENS_AT.windowMs / PARTS;

/** The attempts of one subscription in the last 5 minutes, as seen by this process. `now` is in ms. */
type FailureWindow = {
  add(isDelivered: boolean, now: number): void;
  /** Whether to open the circuit: at least 20 attempts of which at least 90 % failed. */
  isFailing(now: number): boolean;
  clear(): void;
};

export function createFailureWindow(): FailureWindow {
  // Oldest first, without empty parts.
  let parts: { number: number; tries: number; failures: number }[] = [];
  const partOf = (now: number): number => Math.floor(now / PART_MS);

  return {
    add(isDelivered, now) {
      const number = partOf(now);
      let part = parts.at(-1);
      if (part?.number !== number) {
        part = { number, tries: 0, failures: 0 };
        parts = [...parts.filter((old) => old.number > number - PARTS), part];
      }
      part.tries += 1;
      if (!isDelivered) part.failures += 1;
    },
    isFailing(now) {
      const counted = parts.filter((part) => part.number > partOf(now) - PARTS);
      const tries = counted.reduce((sum, part) => sum + part.tries, 0);
      const failures = counted.reduce((sum, part) => sum + part.failures, 0);
      return tries >= CIRCUIT_OPENS_AT.attempts && failures >= tries * CIRCUIT_OPENS_AT.failedPart;
    },
    clear() {
      parts = [];
    },
  };
}
