import { isUnreachable } from '../../../platform/db/failures.ts';
import type { JustRead } from '../../attempt/just-read.ts';
import { deliveryWorkflowId } from '../../../kernel/contract/temporal-names.ts';
import type { HandOver, Holder } from '../../../messaging/publishing/hand-over.ts';
import type { Carriers } from '../../../platform/temporal/starts.ts';
import type { StartDelivery, StartDrain } from '../start-delivery.ts';
import type { Admission } from '../../limits/admission.ts';
import { createAlternation } from './claims/alternation.ts';
import { type BurstThreshold, createBurstDetector } from './backlog.ts';
import { CLAIM, type ClaimRoom, claimRoom } from './claims/claim-room.ts';
import { type ChoresDependencies, createChores } from './chores.ts';
import { type Claimed, held } from './claims/claimed.ts';
import type { Drain } from '../drain/drain.ts';
import { workflowInputs } from './claims/workflow-inputs.ts';
import { createDueRows, type DueRows, type DueRowsDependencies } from './claims/due-rows.ts';
import { createRetriesAhead } from './claims/retries-ahead.ts';
import { createFairQueues, type QueuedDelivery, type FairQueues } from '../drain/fair-queues.ts';
import { createForgottenClaims } from '../recovery/forgotten-claims.ts';
import type { FirstTries } from '../../limits/first-tries.ts';
import type { PendingReplies } from '../recovery/pending-replies.ts';
import { createDrainKeeper } from './hand-out/keep-drain.ts';
import { createLateFirsts } from './hand-out/late-firsts.ts';
import { listenForDue } from './listen-for-due.ts';
import { createPulse } from './pulse.ts';
import { createShareOut } from './hand-out/share-out.ts';
import { createStarts } from './hand-out/starts.ts';
import { createTakenOver } from './hand-out/taken-over.ts';
import type { Pool } from 'pg';
import { releaseDeliveries } from '../../record/statements/release.ts';

// NOTIFY wakes at once. Polling finds retries whose time comes, and rows of a lost connection. All workers together poll so often.
const POLL_MS = 500;
// A process that holds this many first tries takes no more from its publishes: they wait in PostgreSQL for a claim.
const HANDED_OVER_UNTIL = 4_000;
// Claimed by one publish: what a process sends in about a second. All its rows are handed out in one turn of the event loop.
const HANDED_OVER_AT_ONCE = 5_000;
// Rests, ms: of starting after Temporal refused or did not answer; between counts of waiting rows in PostgreSQL during a rush.
const PAUSE_AFTER_FAILURE_MS = 1_000;
const COUNT_EVERY_MS = 250;
// Beyond five thresholds everything is drained, so further counting tells nothing.
const COUNT_LIMIT = 5;

/** `hurry` does the chores now, because somebody has died. */
export type Dispatcher = { wake(): void; hurry(): void; stop(): Promise<void>; handOver: HandOver };

export type DispatcherDependencies = Omit<ChoresDependencies, 'giveBackForgotten'> &
  DueRowsDependencies & {
    threshold: BurstThreshold;
    /** How long a first try may wait for its own Temporal workflow before it is drained, ms; absent: as long as it takes. */
    ownWorkflowWithinMs?: number | undefined;
    firstTries: FirstTries;
    justRead: Pick<JustRead, 'keep'>;
    replies: PendingReplies;
    drain: Drain;
    admission: Pick<Admission, 'learn' | 'meet' | 'isOpen' | 'hasOpen' | 'dividedPlaces'>;
    carriers: Pick<Carriers, 'stateOf'>;
    startDelivery: StartDelivery;
    startDrain: StartDrain;
  };

const now = (): number => performance.now();

/**
 * Turns due rows into tries, fairly over the subscriptions. Each delivery and round gets one Temporal workflow while the flow is calm,
 * and the drain gets the first tries of a backlog, and retries beyond the open workflows of a subscription. Runs until `stop`, which waits
 * for the starts under way.
 */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { pool, log, incarnationId, firstTries, drain, threshold } = deps;
  const backlog = createBurstDetector(threshold, now);
  const firsts = createFairQueues<Claimed>();
  const retries = createFairQueues<Claimed>();
  const under = new Set<Promise<void>>();
  // Deliveries that this process publishes are its own already, so most turns need neither a look nor a claim.
  const dueRows = createDueRows(deps);
  const due: DueRows = { ...dueRows, claim: (...wanted) => deps.replies.during(() => dueRows.claim(...wanted)) };
  const sharing = createShareOut({ ...deps, firsts, due, now });
  const holder: Holder = { incarnationId, atMost: HANDED_OVER_AT_ONCE, during: deps.replies.during };
  let isStopping = false;
  let [restUntil, countAt] = [0, 0];
  let isRush = false;
  const divide = createAlternation();
  let unclaimed: ReadonlyMap<string, number> = new Map();

  const chores = createChores({
    ...deps,
    giveBackForgotten: createForgottenClaims(pool, incarnationId, deps.replies, () => {
      const waiting = [...firsts.all(), ...retries.all()].map(({ id }) => id);
      return new Set([...waiting, ...ahead.ids(), ...takenOver.ids(), ...starts.ids(), ...drain.ids()]);
    }),
  });
  const pulse = createPulse({ everyMs: POLL_MS, pollInMs: () => deps.lookInMs(POLL_MS), onPoll: due.expect });
  const { wake } = pulse;
  const mayDrain = (): boolean => threshold !== 'off' && !isStopping && drain.isRunning();
  const ahead = createRetriesAhead({ ...deps, due, retries, mayDrain, wake });
  const isResting = (): boolean => now() < restUntil;
  const rest = (error: unknown, what: string, ids: object = {}): void => {
    restUntil = now() + PAUSE_AFTER_FAILURE_MS;
    log[isUnreachable(error) ? 'warn' : 'error']({ err: error, ...ids }, what);
  };
  const restOf = (error: unknown): void => rest(error, 'dispatching rests for a moment');
  /** Runs beside the loop; `stop` waits for it. */
  const aside = (work: Promise<void>): void => {
    const watched = work.finally(() => {
      under.delete(watched);
      wake();
    });
    under.add(watched);
  };

  const hold = (held: Claimed, queue = firsts): void => {
    deps.admission.meet(held.read?.subscription);
    queue.push(held);
    backlog.arrive(held.subscriptionId);
  };
  const takenOver = createTakenOver({
    isBegun: async ({ id, round }) =>
      isStopping || (await deps.carriers.stateOf(deliveryWorkflowId(id, round))) !== 'gone',
    // Nothing in the queue of retries is drained.
    onKnown: (details, isBegun) => hold(held(details), isBegun || details.isSuspect ? retries : firsts),
  });

  const starts = createStarts({
    ...deps,
    onFailure: (error, ids) => rest(error, 'a delivery could not be started; it stays due', ids),
    isOver: () => isStopping,
  });

  /** Starts retries and first tries by turns, as far as there is room. */
  const startHeld = async (): Promise<void> => {
    const room = isResting() ? 0 : firstTries.room();
    if (room <= 0) return;
    const planned = new Map<string, number>();
    const hasRoom = ({ subscriptionId }: Claimed): boolean => {
      const count = (planned.get(subscriptionId) ?? 0) + 1;
      if (count > firstTries.roomOf(subscriptionId)) return false;
      planned.set(subscriptionId, count);
      return true;
    };
    const { one, other: some } = divide(
      room,
      (count) => firsts.take(count, (item) => !backlog.isDrained(item.subscriptionId) && hasRoom(item)),
      (count) => retries.take(count, hasRoom),
    );
    const held = [...some, ...one];
    for (const { id, subscriptionId } of held) firstTries.start(id, subscriptionId);
    const described = await deps.replies
      .during(() => workflowInputs(deps, held))
      .catch((error: unknown) => {
        for (const item of held) {
          (some.includes(item) ? retries : firsts).push(item);
          firstTries.end(item.id);
        }
        throw error;
      });
    const ids = new Set(described.map(({ id }) => id));
    for (const { id } of held) if (!ids.has(id)) firstTries.end(id);
    for (const delivery of described) aside(starts.start(delivery));
  };

  const drains = createDrainKeeper({
    startDrain: deps.startDrain,
    aside,
    onFailure: (error) => rest(error, 'a drain could not be started; its deliveries stay due'),
    now,
  });
  const late = createLateFirsts({
    firsts,
    withinMs: deps.ownWorkflowWithinMs,
    now,
    waitsForStart: firstTries.waitsForStart,
    forDrain: sharing.forDrain,
    // While Temporal starts nothing, deliveries wait: they are to be seen there.
    mayDrain: () => !starts.isFailing() && mayDrain(),
    offer(delivery) {
      backlog.late(delivery.subscriptionId);
      drain.offer(delivery);
    },
  });

  /** Gives the drain what is to be drained, and keeps it running: a burst must find it ready. */
  const drainHeld = (): void => {
    const isForDrain = sharing.forDrain();
    for (const held of firsts.take(firsts.size(), ({ subscriptionId: id }) => backlog.isDrained(id) && isForDrain(id)))
      drain.offer(held);
    late.look();
    if (!isResting() && !isStopping && threshold !== 'off') drains.keep();
  };

  /** Adds the first tries that this process holds, per subscription. */
  const withHeld = (counts: Map<string, number>): Map<string, number> => {
    firsts.countInto(counts);
    takenOver.countInto(counts);
    drain.countInto(counts);
    for (const [id, count] of drain.retries) counts.set(id, Math.max(0, (counts.get(id) ?? 0) - count));
    return counts;
  };
  const roomInCalm = (): ClaimRoom => {
    const { ids, held } = firstTries.stuck(firsts);
    return { room: CLAIM.calm.count - takenOver.size() - firsts.size() + held, except: ids };
  };
  const roomInBurst = (): ClaimRoom =>
    claimRoom(withHeld(new Map()), { count: CLAIM.burst.count, full: [...drain.full(), ...sharing.full()] });

  const claimFirsts = async (): Promise<boolean> => {
    if (!due.has('first')) return false;
    const isBurst = backlog.isBurst();
    const { room, except } = isBurst ? roomInBurst() : roomInCalm();
    if (room <= 0 || !due.has('first', except)) return false;
    const { perSubscription } = isBurst ? CLAIM.burst : CLAIM.calm;
    const claimed = await due.claim('first', { count: room, perSubscription, except });
    isRush ||= claimed.length >= Math.min(room, perSubscription);
    deps.admission.learn(claimed);
    const some = claimed.filter(({ isTakenOver }) => isTakenOver);
    if (some.length > 0) aside(takenOver.ask(some));
    for (const details of claimed) if (!details.isTakenOver) hold(held(details));
    return true;
  };

  /** Counts waiting tries here, and during a rush in PostgreSQL: then more wait unclaimed than this process holds. */
  const look = async (): Promise<void> => {
    if (threshold !== 'off' && threshold > 0 && (isRush || unclaimed.size > 0) && now() >= countAt) {
      countAt = now() + COUNT_EVERY_MS;
      isRush = false;
      unclaimed = await due.count(COUNT_LIMIT * threshold + 1);
    }
    see();
  };

  const see = (): void => backlog.see(withHeld(new Map(unclaimed)));

  const turn = async (): Promise<boolean> => {
    pulse.pollByClock();
    await look();
    await giveBackOpen(pool, {
      replies: deps.replies,
      queues: [firsts, retries],
      admission: deps.admission,
      incarnationId,
    });
    await sharing.giveBack();
    drainHeld();
    await startHeld();
    if (isResting()) return false;
    // Each claim brings rows or leaves fewer subscriptions to ask, so there may be more after one.
    const [isMoreDue, hasFirsts, hasRetries] = [await due.look(), await claimFirsts(), await ahead.claim()];
    return isMoreDue || hasFirsts || hasRetries;
  };

  const run = async (): Promise<void> => {
    while (!isStopping) {
      pulse.begin();
      try {
        await chores.run();
        while (!isStopping && !chores.isHurried() && (await turn())) {
          // goes on while rows can be claimed and there is room for them
        }
      } catch (error) {
        restOf(error);
      }
      await pulse.nap();
    }
  };

  const listener = listenForDue(pool, log, {
    onBegin() {
      due.beginAnew();
      wake();
    },
    onNotice(notice) {
      due.hear(notice);
      wake();
    },
  });
  const running = run();
  return {
    wake,
    hurry() {
      chores.hurry();
      due.expect();
      wake();
    },
    handOver: {
      holder: () => {
        if (isStopping || isResting()) return undefined;
        if (firsts.size() + drain.waiting() < HANDED_OVER_UNTIL) return holder;
        isRush = true;
        return undefined;
      },
      take(deliveries) {
        for (const delivery of deliveries) hold({ ...delivery, heldAt: now() });
        // Not left to the loop: its turn, with its queries, may take a tenth of a second.
        see();
        drainHeld();
        if (!isStopping && firsts.size() > 0) aside(startHeld().catch(restOf));
        wake();
      },
    },
    async stop() {
      isStopping = true;
      ahead.stop();
      wake();
      drain.stop();
      late.stop();
      await listener.stop();
      await running;
      await Promise.all(under);
    },
  };
}

/** Gives back claims of subscriptions whose circuit is open: they wait in PostgreSQL, and are claimed with the probe. */
async function giveBackOpen<T extends QueuedDelivery>(
  pool: Pool,
  held: {
    replies: PendingReplies;
    queues: FairQueues<T>[];
    admission: Pick<Admission, 'isOpen' | 'hasOpen'>;
    incarnationId: string;
  },
): Promise<void> {
  if (!held.admission.hasOpen()) return;
  const ids = held.queues
    .flatMap((queue) => queue.take(queue.size(), ({ subscriptionId }) => held.admission.isOpen(subscriptionId)))
    .map(({ id }) => id);
  await held.replies.during(() => releaseDeliveries(pool, { ids, incarnationId: held.incarnationId }));
}
