import type { Logger } from 'pino';
import { type CrashGuard, type Outside, WorkIsDeadly, WorkPauses } from '../../platform/crashes/crash-guard.ts';
import { untilReachable } from '../../platform/db/failures.ts';
import type { Clock } from '../../platform/dependencies.ts';
import { SenderClosedError } from '../../platform/outbound/exchange/connections.ts';
import type { SendResult, WebhookSender } from '../../platform/outbound/post-webhook.ts';
import type { AttemptResult, DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { idsOf } from './logged-ids.ts';
import type { Passage } from '../../kernel/rules/circuit.ts';
import type { Broken, Faults } from './faults.ts';
import { judge, recordedResult, toResult, type Judgement } from './judge.ts';
import type { Recorder } from './recorder.ts';
import type { Tried } from '../../platform/observe/meters.ts';
import type { TrySpan, TryTracing } from './try-tracing.ts';
import type { OpenSigningKeys } from './signing-secrets.ts';
import type { SigningKey } from '../../platform/outbound/sign.ts';
import { webhookRequest } from './webhook-request.ts';

// A delivery that waited for its turn may be paused, deleted or have another URL by then: it is read again.
const READ_AGAIN_AFTER_WAIT_MS = 500;

/** A place under the limits of the subscription, until `leave`, which may be called more than once. */
export type Entered = Passage & { leave(): void };
/** The circuit or a limit takes no try for so many ms. */
export type RefusedTry = { inMs: number; reason: 'rate' | 'concurrency' | 'circuit' };

/** The try `number` of a delivery in its round, and its maker's choices: how to read, when its turn is, where to put it back. */
export type Try<E extends Entered> = {
  deliveryId: string;
  round: number;
  number: number;
  /** The Temporal workflow that makes it. */
  carrier: string;
  /** Whether a process died while this try was under way, as far as its maker knows; the record may know more. */
  isSuspect?: boolean | undefined;
  /** Whether that workflow goes on with the delivery if it is retried; otherwise the delivery waits for a claim. */
  keepsCarrier: boolean;
  /** The delivery as it is now; undefined when it is gone. */
  read(): Promise<DeliveryToAttempt | undefined> | DeliveryToAttempt | undefined;
  /** Its turn under the limits and the circuit of its subscription. */
  admit(delivery: DeliveryToAttempt): Promise<({ ok: true } & E) | ({ ok: false } & RefusedTry)>;
  /** No try now: refused, or its subscription or its app is not active. */
  putBack(delivery: DeliveryToAttempt, refused: RefusedTry | undefined): Promise<void>;
  /** Called when the answer is there and not yet recorded; the place is left after this call. The promise is awaited at the end. */
  observe(delivery: DeliveryToAttempt, entered: E, sent: SendResult): Promise<void>;
  /** Whether the outcome is no longer wanted: then a fault is thrown, and the new owner of the delivery decides. */
  isOver(): boolean;
};

export type TryDependencies = {
  sender: WebhookSender;
  openSigningKeys: OpenSigningKeys;
  recorder: Recorder;
  faults: Faults;
  crashes: Pick<CrashGuard, 'during'>;
  clock: Clock;
  log: Logger;
  /** Told of each attempt that is on record. */
  onTried?: ((tried: Tried) => void) | undefined;
  /** Absent: nothing is traced. */
  tracing?: TryTracing | undefined;
};

/** A fault of a try that PostgreSQL has not recorded either, with all that is known of the try. */
class UnheldFault extends Error {
  readonly number: number;
  readonly mayHaveBeenSent: boolean;

  constructor(fault: unknown, { number, mayHaveBeenSent }: { number: number; mayHaveBeenSent: boolean }) {
    super('A fault broke a try off, and its delivery could not be held', { cause: fault });
    this.number = number;
    this.mayHaveBeenSent = mayHaveBeenSent;
  }
}

/**
 * Holds a delivery whose try has thrown. Where the request may have gone out, the record says so and the pause is the longer one.
 * Throws when PostgreSQL refuses this as well.
 */
export function holdThrown(faults: Faults, broken: Broken, thrown: unknown): Promise<AttemptResult> {
  if (!(thrown instanceof UnheldFault)) return faults.hold(broken, thrown, { mayHaveBeenSent: false });
  const { number, mayHaveBeenSent, cause } = thrown;
  return faults.hold({ ...broken, number }, cause, { mayHaveBeenSent });
}

/**
 * Makes one try: reads, is admitted, posts, judges, records. The activity and the drain both make their tries with it. A try
 * that is on record, or that is not to be made now, sends nothing. A fault of ours, before or after the request, is no failure of the
 * receiver's: the delivery is held. Throws while the worker stops and when the try is over. Throws an UnheldFault when PostgreSQL does
 * not take even the hold.
 */
export async function attempt<E extends Entered>(deps: TryDependencies, wanted: Try<E>): Promise<AttemptResult> {
  const found = await readToTry(deps, wanted);
  if ('result' in found) return found;
  const askedAt = performance.now();
  const entry = await wanted.admit(found);
  if (!entry.ok) {
    deps.tracing?.held(found, wanted.carrier);
    await wanted.putBack(found, entry);
    return { result: 'held' };
  }
  try {
    const current = performance.now() - askedAt < READ_AGAIN_AFTER_WAIT_MS ? found : await readToTry(deps, wanted);
    return 'result' in current
      ? current
      : await makeGuarded(deps, wanted, { delivery: current, entered: entry, beganAt: askedAt });
  } finally {
    entry.leave();
  }
}

/** The delivery as it is now, or a result when no try is to be made. */
async function readToTry<E extends Entered>(
  { clock, tracing }: TryDependencies,
  wanted: Try<E>,
): Promise<DeliveryToAttempt | AttemptResult> {
  const delivery = await wanted.read();
  if (delivery === undefined) return { result: 'superseded' };
  const recorded = recordedResult(delivery, wanted, clock());
  if (recorded !== undefined) return recorded;
  const { status, isAppSuspended } = delivery.subscription;
  if (status === 'active' && !isAppSuspended) return delivery;
  tracing?.held(delivery, wanted.carrier);
  await wanted.putBack(delivery, undefined);
  return { result: 'held' };
}

type Making<E extends Entered> = { delivery: DeliveryToAttempt; entered: E; beganAt: number };

/** Alone, and with its death counted before it, where a worker died while this delivery was under way. */
async function makeGuarded<E extends Entered>(
  deps: TryDependencies,
  wanted: Try<E>,
  making: Making<E>,
): Promise<AttemptResult> {
  const { delivery } = making;
  const isSuspect = wanted.isSuspect === true || delivery.takeovers > 0;
  try {
    return await deps.crashes.during({ kind: 'delivery', id: delivery.deliveryId, isSuspect }, (outside) =>
      make(deps, wanted, { ...making, outside }),
    );
  } catch (failure) {
    const broken = { ...idsOf(delivery), round: delivery.round, number: delivery.attempts + 1 };
    if (failure instanceof WorkPauses) return deps.faults.holdAfterDeath(broken, failure.inMs);
    if (failure instanceof WorkIsDeadly) return deps.faults.giveUp(delivery, wanted.carrier, failure.message);
    throw failure;
  }
}

async function make<E extends Entered>(
  deps: TryDependencies,
  wanted: Try<E>,
  { delivery, entered, beganAt, outside }: Making<E> & { outside: Outside },
): Promise<AttemptResult> {
  const { round } = delivery;
  const { carrier, keepsCarrier } = wanted;
  const number = delivery.attempts + 1;
  let mayHaveBeenSent = false;
  let observed: Promise<void> | undefined;
  let span: TrySpan | undefined;
  try {
    const request = webhookRequest(delivery, await keysOf(deps, delivery), deps.clock());
    span = deps.tracing?.begin(delivery, { number, carrier, beganAt });
    mayHaveBeenSent = true;
    const traced = span === undefined ? request : { ...request, headers: span.headers(request.headers) };
    const sent = await outside(() => deps.sender.post(traced));
    span?.sent(sent);
    observed = wanted.observe(delivery, entered, sent);
    // The place is free once the answer is there; recording goes on beside the next request.
    entered.leave();
    const judgement = judge(delivery, sent, deps.clock(), entered);
    const isRecorded = await deps.recorder.record({ delivery, number, carrier, keepsCarrier, sent, judgement });
    span?.end(isRecorded ? judgement : undefined);
    if (isRecorded) deps.onTried?.(triedOf(delivery, sent, judgement));
    deps.log.debug(
      {
        ...idsOf(delivery),
        attempt: number,
        deliveryStatus: judgement.status,
        durationMs: sent.durationMs,
      },
      'attempt made',
    );
    return isRecorded ? toResult(judgement, sent.error?.message ?? '', deps.clock()) : await resultNow(deps, wanted);
  } catch (fault) {
    span?.end();
    // A closed sender has sent nothing: the worker stops, and another one makes this try.
    if (fault instanceof SenderClosedError || wanted.isOver()) throw fault;
    const broken = { ...idsOf(delivery), round, number };
    const holding = untilReachable(() => deps.faults.hold(broken, fault, { mayHaveBeenSent }), wanted.isOver);
    return await holding.catch((unheld: unknown) => {
      throw wanted.isOver() ? unheld : new UnheldFault(fault, { number, mayHaveBeenSent });
    });
  } finally {
    await observed;
  }
}

/** The keys that sign. Unreadable secrets are reported. */
async function keysOf(
  { openSigningKeys, faults }: TryDependencies,
  { subscription }: DeliveryToAttempt,
): Promise<readonly SigningKey[]> {
  const { keys, unreadable } = openSigningKeys(subscription);
  if (unreadable.length > 0) {
    const ids = unreadable.map(({ id }) => id);
    faults.tellUnreadable(subscription.id, ids, unreadable[0]?.cause);
  }
  if (subscription.isSecretUnreadable) await faults.markReadable(subscription.id);
  return keys;
}

/** The result of a try that could not be recorded because the delivery had moved on meanwhile. */
async function resultNow<E extends Entered>({ clock }: TryDependencies, wanted: Try<E>): Promise<AttemptResult> {
  const delivery = await wanted.read();
  return (delivery && recordedResult(delivery, wanted, clock())) ?? { result: 'superseded' };
}

function triedOf(
  { round, attempts, message }: Pick<DeliveryToAttempt, 'round' | 'attempts' | 'message'>,
  sent: Pick<SendResult, 'startedAt' | 'durationMs' | 'error'>,
  { status, deadLetterReason }: Judgement,
): Tried {
  // Two clocks of two machines may differ: a time before the acceptance counts as none.
  const afterMs = Math.max(0, sent.startedAt.getTime() - message.publishedAt.getTime());
  const isReplay = round > 1;
  return {
    outcome: status,
    errorClass: sent.error?.class ?? 'none',
    seconds: sent.durationMs / 1_000,
    firstAfterSeconds: isReplay || attempts > 0 ? undefined : afterMs / 1_000,
    deliveredAfterSeconds: isReplay || status !== 'delivered' ? undefined : (afterMs + sent.durationMs) / 1_000,
    deadLetterReason,
  };
}
