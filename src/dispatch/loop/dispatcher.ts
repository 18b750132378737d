import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isUnreachable } from '../../db/until-reachable.ts';
import type { HandOver } from '../../publishing/hand-over.ts';
import type { StartDelivery } from '../../temporal/start-delivery.ts';
import type { StartDrain } from '../../temporal/start-drain.ts';
import type { Admission } from '../admission/admission.ts';
import { createAlternation } from './alternation.ts';
import { type BurstThreshold, createBacklog } from './backlog.ts';
import { giveBackOpen } from './give-back-open.ts';
import { type ClaimRoom, claimRoom } from './claim-room.ts';
import { type ClaimedDelivery, describeHeld } from '../../deliveries/statements/claim.ts';
import { releaseClaims } from '../../deliveries/statements/release.ts';
import { setCarrier } from '../../deliveries/statements/start.ts';
import { createChores } from './chores.ts';
import { type Claimed, held } from './claimed.ts';
import type { Drain } from '../drain/drain.ts';
import { createDueRows } from './due-rows.ts';
import { createFairQueues } from '../drain/fair-queues.ts';
import { createForgottenClaims } from '../recovery/forgotten-claims.ts';
import type { FirstTries } from '../admission/first-tries.ts';
import { listenForDue } from './listen-for-due.ts';
import { createPulse } from './pulse.ts';

// NOTIFY wakes at once. Polling finds rows that nobody notifies about: retries whose time comes, and rows of a lost connection.
const POLL_MS = 500;
// Size of a claim while the flow is calm: small, because each row is started before the next claim. In a burst it is as much as the
// drain sends in a fraction of a second.
const CLAIM_CALM = { count: 6, perSubscription: 2 };
const CLAIM_BURST = { count: 1_000, perSubscription: 300 };
// Retries claimed ahead of their time, in all and of one subscription.
const RETRIES_AHEAD = { count: 40, perSubscription: 10 };
// A process that holds this many first tries takes no more from its publishes: they wait in PostgreSQL for a claim.
const HANDED_OVER_UNTIL = 4_000;
// Rest of starting after Temporal refused or did not answer, ms.
const PAUSE_AFTER_FAILURE_MS = 1_000;
// Rest between counts of waiting rows in PostgreSQL during a rush, ms.
const COUNT_EVERY_MS = 250;
// Beyond five thresholds everything is drained, so further counting tells nothing.
const COUNT_LIMIT = 5;

/** `hurry` does the chores now, because somebody has died. */
export type Dispatcher = { wake(): void; hurry(): void; stop(): Promise<void>; handOver: HandOver };

export type DispatcherDependencies = {
  pool: Pool;
  log: Logger;
  incarnationId: string;
  threshold: BurstThreshold;
  firstTries: FirstTries;
  drain: Drain;
  admission: Pick<Admission, 'learn' | 'isOpen' | 'hasOpen'>;
  startDelivery: StartDelivery;
  startDrain: StartDrain;
  /** Done in its loop every 2 s, and whenever it is woken. */
  chores: readonly (() => Promise<void>)[];
};

/**
 * Turns due rows into tries. Claims are fair over the subscriptions. Each delivery and round gets one Temporal workflow while the flow
 * is calm, and the drain gets the first tries of a backlog. Runs in every worker process until `stop`, which waits for the starts
 * under way.
 */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { pool, log, incarnationId, firstTries, drain, threshold } = deps;
  const backlog = createBacklog(threshold, () => performance.now());
  const firsts = createFairQueues<Claimed>();
  const retries = createFairQueues<Claimed>();
  const under = new Set<Promise<void>>();
  const timers = new Map<NodeJS.Timeout, string>();
  const starting = new Set<string>();
  // Deliveries that this process publishes are its own already, so most turns need neither a look nor a claim.
  const due = createDueRows({ pool, incarnationId });
  let isStopping = false;
  let isDraining = false;
  let restUntil = 0;
  let countAt = 0;
  let isRush = false;
  const divide = createAlternation();
  let unclaimed: ReadonlyMap<string, number> = new Map();

  const chores = createChores({
    ...deps,
    giveBackForgotten: createForgottenClaims(pool, incarnationId, () => {
      const waiting = [...firsts.all(), ...retries.all()].map(({ id }) => id);
      return new Set([...waiting, ...timers.values(), ...starting, ...drain.ids()]);
    }),
  });
  const pulse = createPulse({ everyMs: POLL_MS, onPoll: due.expect });
  const { wake } = pulse;
  const isResting = (): boolean => Date.now() < restUntil;
  const rest = (error: unknown, what: string): void => {
    restUntil = Date.now() + PAUSE_AFTER_FAILURE_MS;
    log[isUnreachable(error) ? 'warn' : 'error']({ err: error }, what);
  };
  /** Runs beside the loop; `stop` waits for it. */
  const aside = (work: Promise<void>): void => {
    const watched = work.finally(() => {
      under.delete(watched);
      wake();
    });
    under.add(watched);
  };

  const hold = (held: Claimed): void => {
    // A retry starts by itself and is never drained.
    (held.details?.isSuspect === true ? retries : firsts).push(held);
    backlog.arrive(held.subscriptionId);
  };

  const startOne = async (delivery: ClaimedDelivery): Promise<void> => {
    starting.add(delivery.id);
    try {
      const isRegular = delivery.isSuspect || firstTries.isSlow(delivery.subscriptionId);
      const carrier = await deps.startDelivery(delivery, isRegular ? 'regular' : 'local');
      await setCarrier(pool, { ...delivery, incarnationId, carrier });
    } catch (error) {
      rest(error, 'a delivery could not be started; it stays due');
      firstTries.end(delivery.id);
      // If this fails as well, the delivery is given back as forgotten.
      await releaseClaims(pool, { ids: [delivery.id], incarnationId }).catch((cause: unknown) => {
        log.warn({ err: cause, deliveryId: delivery.id }, 'a claim was not given back; it will be found as forgotten');
      });
    } finally {
      starting.delete(delivery.id);
    }
  };

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
    const unknown = held.filter(({ details }) => details === undefined).map(({ id }) => id);
    const described = await describeHeld(pool, unknown, incarnationId).catch((error: unknown) => {
      for (const item of held) {
        (some.includes(item) ? retries : firsts).push(item);
        firstTries.end(item.id);
      }
      throw error;
    });
    const details = held.map((item) => item.details).filter((each) => each !== undefined);
    for (const id of unknown) if (!described.some((delivery) => delivery.id === id)) firstTries.end(id);
    for (const delivery of [...details, ...described]) aside(startOne(delivery));
  };

  const drainHeld = (): void => {
    for (const held of firsts.take(firsts.size(), ({ subscriptionId }) => backlog.isDrained(subscriptionId)))
      drain.offer(held);
    if (isDraining || isResting() || isStopping || (drain.waiting() === 0 && !backlog.isNear())) return;
    isDraining = true;
    aside(
      deps
        .startDrain()
        .catch((error: unknown) => rest(error, 'a drain could not be started; its deliveries stay due'))
        .finally(() => {
          isDraining = false;
        }),
    );
  };

  /** Adds the first tries that this process holds, per subscription. */
  const withHeld = (counts: Map<string, number>): Map<string, number> => {
    firsts.countInto(counts);
    drain.countInto(counts);
    return counts;
  };
  const roomInCalm = (): ClaimRoom => {
    const { ids, held } = firstTries.stuck(firsts);
    return { room: CLAIM_CALM.count - firsts.size() + held, except: ids };
  };
  const roomInBurst = (): ClaimRoom => claimRoom(withHeld(new Map()), { count: CLAIM_BURST.count, full: drain.full() });

  const claimFirsts = async (): Promise<boolean> => {
    if (!due.has('first')) return false;
    const isBurst = backlog.isBurst();
    const { room, except } = isBurst ? roomInBurst() : roomInCalm();
    if (room <= 0 || !due.has('first', except)) return false;
    const { perSubscription } = isBurst ? CLAIM_BURST : CLAIM_CALM;
    const claimed = await due.claim('first', { count: room, perSubscription, except });
    isRush ||= claimed.length >= Math.min(room, perSubscription);
    deps.admission.learn(claimed);
    for (const details of claimed) hold(held(details));
    return true;
  };

  const claimRetries = async (): Promise<boolean> => {
    if (!due.has('retry')) return false;
    const stuck = firstTries.stuck(retries);
    const room = RETRIES_AHEAD.count - retries.size() + stuck.held - timers.size;
    if (room <= 0 || !due.has('retry', stuck.ids)) return false;
    const claimed = await due.claim('retry', { ...RETRIES_AHEAD, count: room, except: stuck.ids });
    deps.admission.learn(claimed);
    for (const details of claimed) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        retries.push(held(details));
        wake();
      }, details.dueInMs);
      timers.set(timer, details.id);
    }
    return true;
  };

  /** Counts waiting tries here, and during a rush in PostgreSQL: then more wait unclaimed than this process holds. */
  const look = async (): Promise<void> => {
    if (threshold !== 'off' && threshold > 0 && (isRush || unclaimed.size > 0) && Date.now() >= countAt) {
      countAt = Date.now() + COUNT_EVERY_MS;
      isRush = false;
      unclaimed = await due.count(COUNT_LIMIT * threshold + 1);
    }
    see();
  };

  const see = (): void => backlog.see(withHeld(new Map(unclaimed)));

  const turn = async (): Promise<boolean> => {
    pulse.pollByClock();
    await look();
    await giveBackOpen(pool, { queues: [firsts, retries], admission: deps.admission, incarnationId });
    drainHeld();
    await startHeld();
    if (isResting()) return false;
    // Each claim brings rows or leaves fewer subscriptions to ask, so there may be more after one.
    const [isMoreDue, hasFirsts, hasRetries] = [await due.look(), await claimFirsts(), await claimRetries()];
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
        rest(error, 'dispatching rests for a moment');
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
      wake();
    },
    handOver: {
      holder: () => {
        if (isStopping || isResting()) return undefined;
        if (firsts.size() + drain.waiting() < HANDED_OVER_UNTIL) return incarnationId;
        isRush = true;
        return undefined;
      },
      take(deliveries) {
        for (const delivery of deliveries) hold(delivery);
        // Woken at once: in a burst the loop's own turn, with its queries, takes a tenth of a second.
        see();
        drainHeld();
        wake();
      },
    },
    async stop() {
      isStopping = true;
      for (const timer of timers.keys()) clearTimeout(timer);
      wake();
      drain.stop();
      await listener.stop();
      await running;
      await Promise.all(under);
    },
  };
}
