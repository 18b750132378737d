import { activityInfo, ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import {
  type BegunDelay,
  type BegunWait,
  DEADLY_PATIENCE_MS,
  type EndedRound,
  type EndRunInput,
  type ItemEnd,
  type OpenedLoop,
  type OpenedRun,
  RUN_FAILURES,
  type RunInput,
  runWorkflowId,
  type StepInput,
  type StepStanding,
  type Taken,
  type WaitEnd,
  withWords,
  type BegunScheduledRun,
  type ScheduledRunInput,
} from '../src/kernel/contract/run-workflow.ts';
import { FAILURE_TYPES } from '../src/kernel/contract/temporal-names.ts';
import type { Carriers } from '../src/platform/temporal/starts.ts';
import { type CrashGuard, WorkIsDeadly, WorkPauses } from '../src/platform/crashes/crash-guard.ts';
import { isUnreachable, untilReachable } from '../src/platform/db/failures.ts';
import { SenderClosedError } from '../src/platform/outbound/exchange/connections.ts';
import { type ActionKind, attemptStep, stepStandingOf } from '../src/automations/engine/attempt-step.ts';
import { closeBranches, openBranches } from '../src/automations/engine/branches.ts';
import { closeLoop, endItem, openLoop } from '../src/automations/engine/loops.ts';
import { endRun, openRun } from '../src/automations/engine/rounds.ts';
import { RunSuperseded } from '../src/automations/engine/step-failure.ts';
import { leaveGate } from '../src/automations/starting/admit.ts';
import { beginDelay, endDelay, takeStep } from '../src/automations/engine/take-step.ts';
import { watchForCancel } from '../src/automations/engine/waits/cancel-on.ts';
import type { WaitDependencies } from '../src/automations/engine/waits/kind.ts';
import { beginWait, endWait } from '../src/automations/engine/waits/wait.ts';
import { beginGuarded, type GuardedDependencies } from '../src/automations/schedules/begin.ts';

export function createScheduledRunActivities(deps: GuardedDependencies) {
  return {
    /**
     * Records the run of one scheduled time, once. If recording it repeatedly crashes processes, no run is created and
     * the failure says so.
     */
    async beginScheduledRun(input: ScheduledRunInput & { scheduledAt: string }): Promise<BegunScheduledRun> {
      try {
        return await beginGuarded(deps, input);
      } catch (failure) {
        if (failure instanceof WorkIsDeadly) throw ApplicationFailure.nonRetryable(failure.message, failure.name);
        throw failure;
      }
    },
  };
}

export type RunStepDependencies = WaitDependencies & {
  http: ActionKind;
  publish: ActionKind;
  connector: ActionKind;
  carriers: Pick<Carriers, 'whyEnded'>;
  crashes: Pick<CrashGuard, 'during'>;
};

// The worker sends at most one every 2 s (start-worker.ts).
const HEARTBEAT_EVERY_MS = 1_000;

/** The activities of runs. All of them may be repeated: what is already recorded is returned and not executed again. */
export function createRunActivities(deps: RunStepDependencies) {
  const watch = watchForCancel(deps);

  /**
   * Converts failures: a superseded round ends its Temporal workflow, work interrupted by PostgreSQL or a stopping
   * worker is retried, and an internal error ends the run.
   */
  const telling = async <T>({ runId, stepId }: RunInput & Partial<StepInput>, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (failure) {
      if (failure instanceof SenderClosedError)
        throw ApplicationFailure.retryable('this worker is being stopped', FAILURE_TYPES.workerStopping);
      if (failure instanceof WorkPauses)
        throw ApplicationFailure.create({
          type: failure.name,
          message: failure.message,
          nextRetryDelay: failure.inMs,
          category: ApplicationFailureCategory.BENIGN,
        });
      if (failure instanceof WorkIsDeadly) {
        deps.log.error({ runId, stepId }, `gave up a run: ${failure.message}`);
        throw ApplicationFailure.nonRetryable(failure.message, RUN_FAILURES.deadly);
      }
      if (failure instanceof ApplicationFailure || isUnreachable(failure)) throw failure;
      const isSuperseded = failure instanceof RunSuperseded;
      if (!isSuperseded)
        deps.log.error(
          { err: failure, runId, stepId },
          'a run failed with an internal error; retry it once the cause is fixed',
        );
      throw ApplicationFailure.create({
        type: isSuperseded ? RUN_FAILURES.superseded : 'INTERNAL',
        message: isSuperseded ? failure.message : 'internal error; see the log of the service',
        nonRetryable: true,
        category: ApplicationFailureCategory.BENIGN,
      });
    }
  };

  /** Evaluates and records a part of a run. The evaluation could crash the process, so crashes are counted. */
  const part = <Input extends RunInput & Partial<StepInput>, T>(
    name: string,
    work: (input: Input) => Promise<T>,
  ): ((input: Input) => Promise<T>) => {
    return (input) =>
      telling(input, () =>
        deps.crashes.during(
          {
            kind: 'run',
            id: input.runId,
            part: `${name} ${input.stepId ?? ''}#${input.iteration ?? ''}`,
            patienceMs: DEADLY_PATIENCE_MS,
          },
          () => work(input),
        ),
      );
  };

  /**
   * Adds the reason that a person may have given when cancelling the run in Temporal. If there is none, the reason
   * stays unchanged.
   */
  const withReason = async (input: EndRunInput): Promise<EndRunInput> => {
    if (input.status !== 'cancelled' || input.reason === undefined) return input;
    const words = await deps.carriers.whyEnded(runWorkflowId(input)).catch((failure: unknown) => {
      deps.log.warn({ err: failure, runId: input.runId }, 'could not read from Temporal why a run was cancelled');
      return undefined;
    });
    return { ...input, reason: withWords(input.reason, words) };
  };

  const attempt = (kind: ActionKind, input: StepInput): Promise<Taken> =>
    telling(input, async () => {
      const signal = cancellationSignal();
      heartbeat();
      const beating = setInterval(() => heartbeat(), HEARTBEAT_EVERY_MS);
      try {
        const work = { kind: 'run', id: input.runId, part: `attempt ${input.stepId}#${input.iteration}` } as const;
        const outcome = await deps.crashes.during({ ...work, patienceMs: DEADLY_PATIENCE_MS }, (outside) =>
          untilReachable(
            () => attemptStep(deps, kind, input, outside),
            () => signal.aborted,
          ),
        );
        if (outcome.result === 'retry') {
          throw ApplicationFailure.create({
            type: outcome.code,
            message: outcome.message,
            nextRetryDelay: outcome.delayMs,
            category: ApplicationFailureCategory.BENIGN,
          });
        }
        if (outcome.failure === undefined) return { way: outcome.way };
        throw ApplicationFailure.create({
          type: outcome.failure.code,
          message: outcome.failure.message,
          nonRetryable: true,
          details: [{ way: outcome.way } satisfies Taken],
          category: ApplicationFailureCategory.BENIGN,
        });
      } finally {
        clearInterval(beating);
      }
    });

  return {
    openRun: part(
      'open',
      (input: RunInput): Promise<OpenedRun> =>
        openRun({ ...deps, watch }, input, activityInfo().workflowExecution?.workflowId ?? ''),
    ),
    endRun: (input: EndRunInput): Promise<EndedRound> =>
      telling(input, async () => {
        const { hasGate, ...ended } = await endRun(deps, await withReason(input));
        if (hasGate) await leaveGate(deps.pool, input.runId);
        return ended;
      }),
    /** A step without effects. */
    takeStep: part('step', (input: StepInput): Promise<Taken> => takeStep(deps, input)),
    beginDelay: part('delay', (input: StepInput): Promise<BegunDelay> => beginDelay(deps, input)),
    endDelay: part('delay ends', (input: StepInput): Promise<Taken> => endDelay(deps, input)),
    beginWait: part('wait', (input: StepInput): Promise<BegunWait> => beginWait(deps, input)),
    endWait: part('wait ends', (input: WaitEnd): Promise<Taken | { waiting: true }> => endWait(deps, input)),
    openLoop: part('loop', (input: StepInput): Promise<OpenedLoop> => openLoop(deps, input)),
    endItem: part('item ends', (input: ItemEnd): Promise<void> => endItem(deps, input)),
    closeLoop: part('loop ends', (input: StepInput): Promise<Taken> => closeLoop(deps, input)),
    openBranches: part('branches', (input: StepInput): Promise<Taken | { open: true }> => openBranches(deps, input)),
    closeBranches: part('branches end', (input: StepInput): Promise<Taken> => closeBranches(deps, input)),
    /** Returns the state of a step whose last attempt ended without a report. */
    stepStanding: ({ crash, ...input }: StepInput & { crash?: 'worker' | 'time' | undefined }): Promise<StepStanding> =>
      telling(input, () => stepStandingOf(deps, input, crash)),
    httpStep: (input: StepInput): Promise<Taken> => attempt(deps.http, input),
    publishStep: (input: StepInput): Promise<Taken> => attempt(deps.publish, input),
    connectorStep: (input: StepInput): Promise<Taken> => attempt(deps.connector, input),
  };
}
