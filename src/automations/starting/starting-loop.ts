import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Admit, type GateAnswer, openGates } from './admit.ts';
import { type CrashGuard, WorkIsDeadly, WorkPauses } from '../../platform/crashes/crash-guard.ts';
import type { Carriers } from '../../platform/temporal/starts.ts';
import { type CancelRun, type StartRun, recordEndedInTemporal } from './start-run.ts';
import { type Looking, startLooking } from '../../platform/db/waking.ts';
import {
  beginNextRound,
  claimDueRuns,
  type DueRun,
  nextRunDueInMs,
  recordCancelTold,
  releaseRuns,
} from './due-store.ts';

// Runs of one worker that have begun and neither ended nor wait, of which those of one workflow take a third at most. The embedded Temporal
// begins 50 to 100 Temporal workflows a second on two cores; a burst of thousands waits in PostgreSQL, where it costs nothing.
const ROOM = 300;
// Requests of steps take slots of the worker, which has other things to do as well.
const SHARE_OF_SLOTS = 0.6;
const CLAIMED_AT_ONCE = 50;
// All workers together look so often for runs whose notification was lost.
const POLL_MS = 500;
// Rest after a claim, which may have left others.
const LOOK_AGAIN_MS = 50;
// Rest while there is no room, and where others have claimed what was due. Temporal begins fewer in this time than the room has.
const FULL_MS = 100;

type StartingDependencies = {
  pool: Pool;
  log: Logger;
  holder: string;
  /** Activities that this worker carries out at a time. */
  slots: number;
  startRun: StartRun;
  admit: Admit;
  cancelRun: CancelRun;
  crashes: Pick<CrashGuard, 'during'>;
  /** A run is over before it began: processes have died of its gates. */
  endDeadly(run: DueRun, message: string): Promise<void>;
  carriers: Pick<Carriers, 'stateOf' | 'whyEnded'>;
  /** Ms until this process's turn of a look that all make every so many ms. */
  lookInMs(everyMs: number): number;
  /** Told, for the metrics, of runs that begin, and of those whose Temporal workflow is told of their end. */
  observe?: { begun(trigger: string): void; ended(status: string): void } | undefined;
};

/** Starts runs that are due and cancels those that were cancelled, until `stop`, which waits for the work under way. */
export function startStartingRuns(deps: StartingDependencies): Looking {
  const { pool, log, holder, slots, lookInMs } = deps;
  const room = Math.min(ROOM, Math.floor(slots * SHARE_OF_SLOTS));
  let gatesSeenAt = -Infinity;
  let lastGate = '';
  return startLooking({
    log,
    what: 'runs that are due',
    async look() {
      if (performance.now() - gatesSeenAt >= POLL_MS) {
        gatesSeenAt = performance.now();
        lastGate = await openGates(pool, lastGate);
      }
      const inMs = await nextRunDueInMs(pool);
      if (inMs === undefined || inMs > 0) return { ms: Math.min(inMs ?? Infinity, lookInMs(POLL_MS)) };
      const claimed = await claimDueRuns(pool, { holder, room, most: CLAIMED_AT_ONCE });
      if (claimed.length === 0) return { ms: FULL_MS, isDeaf: true };
      // One behind the other: who was made first goes in first where there is room for some only.
      const admitted: { run: DueRun; answer: Promise<GateAnswer> }[] = [];
      for (const run of claimed.toSorted(byAge)) {
        const answer = run.status === 'pending' ? admitGuarded(deps, run) : Promise.resolve<GateAnswer>('begins');
        await answer.catch(() => undefined);
        admitted.push({ run, answer });
      }
      const handled = await Promise.allSettled(
        admitted.map(async ({ run, answer }) => handle(deps, run, await answer)),
      );
      const failed = admitted.flatMap(({ run }, index) => (handled[index]?.status === 'rejected' ? [run] : []));
      if (failed.length === 0) return { ms: LOOK_AGAIN_MS };
      await releaseRuns(
        pool,
        failed.map(({ runId }) => runId),
      );
      throw handled.find((each) => each.status === 'rejected')?.reason;
    },
  });
}

/** `keys` and gates are expressions of the workflow's author. A run that pauses is claimed again when its claim is over. */
async function admitGuarded({ crashes, admit, endDeadly }: StartingDependencies, run: DueRun): Promise<GateAnswer> {
  try {
    return await crashes.during({ kind: 'run', id: run.runId, part: 'admit' }, () => admit(run));
  } catch (failure) {
    if (failure instanceof WorkPauses) return 'waits';
    if (!(failure instanceof WorkIsDeadly)) throw failure;
    await endDeadly(run, failure.message);
    return 'ended';
  }
}

// Ids begin with the time.
const byAge = (one: DueRun, other: DueRun): number => (one.runId < other.runId ? -1 : 1);

async function handle(deps: StartingDependencies, run: DueRun, answer: GateAnswer): Promise<void> {
  const { pool, startRun, cancelRun, observe } = deps;
  if (run.status === 'cancelled') {
    if (run.carrier !== null) await cancelRun(run.carrier);
    await recordCancelTold(pool, run);
    observe?.ended('cancelled');
    return;
  }
  if (answer === 'skipped') observe?.ended('skipped');
  if (answer !== 'begins') return;
  const { workflowId, isNew } = await startRun(run);
  if (isNew && run.round === 1) observe?.begun(run.triggerType);
  if (!isNew) await settleKnown(deps, run, workflowId);
}

/** An id that Temporal knows already: it runs and will open its run, or it was closed before it could. */
async function settleKnown(
  { pool, log, carriers }: StartingDependencies,
  run: DueRun,
  workflowId: string,
): Promise<void> {
  const state = await carriers.stateOf(workflowId);
  if (state === 'cancelled') await recordEndedInTemporal({ pool, carriers }, run);
  else if (state === 'gone' && (await beginNextRound(pool, run)))
    log.info({ runId: run.runId }, "the run's Temporal workflow had closed before its end; its next round goes on");
}
