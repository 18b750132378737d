import type { Logger } from 'pino';
import type { DeliveryToAttempt } from '../../shared/delivery-to-attempt.ts';
import { CIRCUIT_OPEN_MS } from '../../shared/circuit.ts';
import { RECORDING_MS } from '../../shared/delivery-workflow.ts';
import type { Passage } from '../../shared/held-by-circuit.ts';
import type { Refused } from '../../deliveries/attempt.ts';
import type { SendResult } from '../../outbound/post-webhook.ts';
import type { Pressure } from './adaptive-limit.ts';
import type { CircuitChange, Circuits } from './circuit-store.ts';
import type { ConcurrencyGauge } from './concurrency-store.ts';
import { createFailureWindow, type FailureWindow } from './failure-window.ts';
import { createLimits, type Limits, type LimitSettings, type Place } from './limits.ts';

/** What admission has to know of a subscription, as it was read for a try. */
export type Admitted = Pick<
  DeliveryToAttempt['subscription'],
  'id' | 'timeoutMs' | 'maxConcurrency' | 'rateLimit' | 'hasCircuitBreaker' | 'circuitProbeInMs' | 'readAt'
>;

/** A try may be made, until `leave`; or not before `at`. */
export type Entry = (Extract<Place, { ok: true }> & Passage) | ({ ok: false } & Refused);

/** What a try tells of its receiver. */
export type Answered = Pick<SendResult, 'isDelivered' | 'response' | 'error' | 'answeredAfterMs'>;

/** What an answer says of the receiver's load. A refusal for another reason says nothing of it. */
function pressureOf({ isDelivered, response, error }: Answered): Pressure {
  if (isDelivered) return 'good';
  if (response?.status === 429) return 'busy';
  const isLost = response?.status === 503 || error?.class === 'timeout' || error?.class === 'connect';
  return isLost ? 'lost' : 'other';
}

/**
 * Decides for every try of this process whether it may be made now: `maxConcurrency`, `rateLimit` and the circuit breaker
 * of its subscription. Of the limits every live worker takes its share; the circuit is
 * shared through PostgreSQL, each process counting its own tries.
 */
export type Admission = {
  /** At once. Whoever gets a probe asks `takeProbe` before it is sent. A last chance passes an open circuit. */
  enter(subscription: Admitted, isLastChance: boolean): Entry;
  /** Waits up to `patienceMs` for its turn, longest waiting first; takes the probe, if it is one. */
  admit(
    subscription: Admitted,
    options: { patienceMs: number; signal: AbortSignal; isLastChance: boolean },
  ): Promise<Entry>;
  /** Whether this try is the one probe that all processes together may make. */
  takeProbe(subscription: Admitted): Promise<boolean>;
  /**
   * How an admitted try ended, before its place is left: counted at once, for the circuit and for the places to come. A last chance
   * that is delivered is as good as a probe; one that fails says nothing new. Resolves when what follows from it is in PostgreSQL;
   * never rejects.
   */
  observe(subscription: Admitted, entry: Extract<Entry, { ok: true }>, sent: Answered): Promise<void>;
  /** Circuits as a claim has just read them. */
  learn(claimed: readonly ({ subscriptionId: string } & Pick<Admitted, 'circuitProbeInMs' | 'readAt'>)[]): void;
  /** Tries that it makes sense to have started at a time: 0 while the circuit is open or all its places are taken. */
  limitOf(subscriptionId: string): number;
  /** Whether the circuit takes nothing at this moment. */
  isOpen(subscriptionId: string): boolean;
  /** Whether any circuit does. */
  hasOpen(): boolean;
  /** Whether the circuit is closed, as far as is known. */
  isClosed(subscriptionId: string): boolean;
  /** The places of every subscription that is sent to now, or was more than twice within the last minute. */
  gauges(): ConcurrencyGauge[];
};

type KnownCircuit = {
  /** When the next probe may be made, ms; undefined while closed. */
  probeAt: number | undefined;
  /** When that became known: what was read before says nothing new. */
  knownAt: number;
  /** Changes under way: what is read meanwhile may be from before. */
  changes: number;
};

type State = {
  limits: Limits;
  /** As they were read last: what waits may have been read before a change. */
  settings: LimitSettings & { readAt: number };
  circuit: KnownCircuit;
  window: FailureWindow;
  /** When a try was last made, ms, and how many were without a pause that is worth a gauge. */
  usedAt: number;
  used: number;
};

// A subscription that was sent to so lately (ms) and so often has places that are worth showing: one message to thousands of
// subscriptions would else bring a row for each of them, and take it away again.
const SHOWN = { forMs: 60_000, tries: 3 };
// Subscriptions kept in memory; the ones unused for longest go, unless something is under way.
const REMEMBERED = 10_000;

export function createAdmission(deps: {
  /** The time of day, ms. */
  now: () => number;
  /** Live worker processes, at least 1. */
  workers: () => number;
  circuits: Circuits;
  log: Logger;
}): Admission {
  const { now, circuits, log } = deps;
  const states = new Map<string, State>();
  const notClosed = new Set<string>();

  const stateOf = (id: string) => {
    const known = states.get(id);
    if (known !== undefined) return known;
    for (const [oldId, { limits }] of states) {
      if (states.size < REMEMBERED) break;
      if (limits.isIdle() && !notClosed.has(oldId)) states.delete(oldId);
    }
    const state: State = {
      settings: { maxConcurrency: null, rateLimit: null, readAt: Number.NEGATIVE_INFINITY },
      limits: createLimits({ now, workers: deps.workers }),
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
    // What failed before it closed says nothing of the time after.
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

  /** Carries a change out and takes over what PostgreSQL then says. When it fails, what is known here stays. */
  const change = async (id: string, work: () => Promise<CircuitChange>): Promise<boolean> => {
    const { circuit } = stateOf(id);
    circuit.changes += 1;
    try {
      const { isChanged, probeInMs } = await work();
      setCircuit(id, probeInMs === null ? undefined : now() + probeInMs, now());
      return isChanged;
    } catch (error) {
      log.warn({ err: error, subscriptionId: id }, 'the state of a circuit could not be written');
      return false;
    } finally {
      circuit.changes -= 1;
    }
  };

  /** The circuit's word on a try now: undefined when it is closed, `probe` when this would be one, else when to come back. */
  const askCircuit = (id: string): 'probe' | Date | undefined => {
    const probeAt = states.get(id)?.circuit.probeAt;
    if (probeAt === undefined) return undefined;
    return now() < probeAt ? new Date(probeAt) : 'probe';
  };

  const takeProbe: Admission['takeProbe'] = async ({ id, timeoutMs }) => {
    const isTaken = await change(id, () => circuits.takeProbe(id, timeoutMs + RECORDING_MS));
    // Another one's probe may have closed it meanwhile: then this is a try like any other.
    return isTaken || stateOf(id).circuit.probeAt === undefined;
  };

  const toEntry = (subscription: Admitted, place: Extract<Place, { ok: true }>, isLastChance: boolean): Entry => {
    const { id, timeoutMs } = subscription;
    const circuit = askCircuit(id);
    if (circuit instanceof Date && isLastChance) return { ...place, isProbe: false, isLastChance };
    if (circuit instanceof Date) {
      place.leave();
      return { ok: false, at: circuit, reason: 'circuit' };
    }
    // One of this process at a time, before PostgreSQL has been asked.
    if (circuit === 'probe') setCircuit(id, now() + timeoutMs + RECORDING_MS, now());
    return { ...place, isProbe: circuit === 'probe', isLastChance: false };
  };

  /** The state with the subscription's settings in force. */
  const stateFor = (subscription: Admitted): State => {
    const state = stateOf(subscription.id);
    if (subscription.readAt >= state.settings.readAt) state.settings = subscription;
    return state;
  };

  const refusedByCircuit = (subscription: Admitted, isLastChance: boolean): Entry | undefined => {
    read(subscription.id, subscription);
    const circuit = askCircuit(subscription.id);
    return circuit instanceof Date && !isLastChance ? { ok: false, at: circuit, reason: 'circuit' } : undefined;
  };

  return {
    enter(subscription, isLastChance) {
      const refused = refusedByCircuit(subscription, isLastChance);
      if (refused !== undefined) return refused;
      const { limits, settings } = stateFor(subscription);
      const place = limits.enter(settings);
      return place.ok ? toEntry(subscription, place, isLastChance) : place;
    },

    async admit(subscription, { isLastChance, ...options }) {
      const refused = refusedByCircuit(subscription, isLastChance);
      if (refused !== undefined) return refused;
      const { limits, settings } = stateFor(subscription);
      const place = await limits.wait(settings, options);
      if (!place.ok) return place;
      const entry = toEntry(subscription, place, isLastChance);
      if (!entry.ok || !entry.isProbe || (await takeProbe(subscription))) return entry;
      if (isLastChance) return { ...entry, isProbe: false, isLastChance };
      entry.leave();
      return { ok: false, at: new Date(states.get(subscription.id)?.circuit.probeAt ?? now()), reason: 'circuit' };
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
      // What was already under way when it opened neither closes it nor counts.
      if (circuit.probeAt !== undefined || !hasCircuitBreaker) return;
      window.add(isDelivered, now());
      if (isDelivered || !window.isFailing(now())) return;
      setCircuit(id, now() + CIRCUIT_OPEN_MS, now());
      if (await change(id, () => circuits.open(id))) log.info({ subscriptionId: id }, 'a circuit opened');
    },

    limitOf(id) {
      const state = states.get(id);
      if (state === undefined) return Number.POSITIVE_INFINITY;
      const circuit = askCircuit(id);
      if (circuit instanceof Date) return 0;
      return circuit === 'probe' ? 1 : state.limits.startable();
    },

    isOpen: (id) => askCircuit(id) instanceof Date,
    hasOpen: () => notClosed.size > 0,
    isClosed: (id) => !notClosed.has(id),
    gauges() {
      const shown: ConcurrencyGauge[] = [];
      for (const [subscriptionId, { limits, usedAt, used }] of states) {
        const gauge = limits.gauge();
        const isUsed = used >= SHOWN.tries && now() - usedAt < SHOWN.forMs;
        if (isUsed || gauge.inFlight > 0) shown.push({ subscriptionId, ...gauge });
      }
      return shown;
    },
  };
}
