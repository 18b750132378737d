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

// Maximum started runs per worker that have neither ended nor wait. The embedded Temporal starts 50 to 100 Temporal
// workflows per second on two cores; a burst of thousands waits in PostgreSQL, where it costs nothing.
const ROOM = 300;
// Requests of steps use the worker's slots, which it also needs for other work.
const SHARE_OF_SLOTS = 0.6;
const CLAIMED_AT_ONCE = 50;
// Interval across all workers for finding runs whose notification was lost.
const POLL_MS = 500;
// Pause after a claim that may have left others.
const LOOK_AGAIN_MS = 50;
// Pause while there is no free slot, or if other workers have claimed what was due. Temporal starts fewer runs in this
// time than there are slots.
const FULL_MS = 100;

type StartingDependencies = {
  pool: Pool;
  log: Logger;
  holder: string;
  /** Activities that this worker runs concurrently. */
  slots: number;
  startRun: StartRun;
  admit: Admit;
  cancelRun: CancelRun;
  crashes: Pick<CrashGuard, 'during'>;
  /** Ends a run that crashed processes before it started. */
  endDeadly(run: DueRun, message: string): Promise<void>;
  carriers: Pick<Carriers, 'stateOf' | 'whyEnded'>;
  /** Milliseconds until this process's turn of a poll that the workers share, each `everyMs` in total. */
  lookInMs(everyMs: number): number;
  /** Called for the metrics when runs start, and when the Temporal workflow of a cancelled run was cancelled. */
  observe?: { begun(trigger: string): void; ended(status: string): void } | undefined;
};

/**
 * Starts due runs and cancels the Temporal workflows of cancelled runs, until `stop`, which waits for work in progress.
 */
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
      // One after another, so that the oldest run is admitted first if there are slots for only some.
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

/**
 * Guards admission against crashes, because it evaluates expressions of the workflow's author. A paused run is claimed
 * again when its claim expires.
 */
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

// Ids start with the creation time.
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

/**
 * Handles a Temporal workflow id that already exists: it is running and will open its run, or it was closed before it
 * could.
 */
async function settleKnown(
  { pool, log, carriers }: StartingDependencies,
  run: DueRun,
  workflowId: string,
): Promise<void> {
  const state = await carriers.stateOf(workflowId);
  if (state === 'cancelled') await recordEndedInTemporal({ pool, carriers }, run);
  else if (state === 'gone' && (await beginNextRound(pool, run)))
    log.info(
      { runId: run.runId },
      'the Temporal workflow of a run closed before the run ended; the run continues in its next round',
    );
}
