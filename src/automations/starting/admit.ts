import type { Pool, PoolClient } from 'pg';
import type { RunInput } from '../../kernel/contract/run-workflow.ts';
import { isUnreachable } from '../../platform/db/failures.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import type { Clock } from '../../platform/dependencies.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import type { Flow } from '../definitions/configs/planned.ts';
import { beginningOf } from '../engine/context.ts';
import type { Plans } from '../engine/plans.ts';
import { RunSuperseded } from '../engine/step-failure.ts';
import { hashOfValue } from '../engine/json-text.ts';
import { type RunContext, ExpressionFailed, type StepExpressions } from '../expressions/expressions.ts';
import {
  cancelOfDeleted,
  cancelOldest,
  goInside,
  letIn,
  lockGate,
  queueRun,
  skipRun,
  standAtGate,
  takeKey,
  findGate,
  findOpenGates,
} from './gate-store.ts';
import { wakeForRuns } from '../../platform/db/waking.ts';

/** The gate of runs whose trigger has `concurrency`: all of a workflow, or those of one value of its key. */
const gateOf = (workflowId: string, key: string): string => `${workflowId}/${key}`;

/** The gate before which runs wait while their workflow is paused. Keys of other gates are hashes, so none is like it. */
const pausedGateOf = (workflowId: string): string => gateOf(workflowId, 'paused');

const workflowOf = (gate: string): string => gate.split('/')[0] ?? '';

function openGate(pool: Pool, gate: string): Promise<number> {
  return inTransaction(pool, async (connection) => {
    await lockGate(connection, gate);
    const count = await letIn(connection, gate, workflowOf(gate));
    if (count > 0) await wakeForRuns(connection);
    return count;
  });
}

/** A run has ended: the next one before its gate goes in. */
export async function leaveGate(pool: Pool, runId: string): Promise<void> {
  const gate = await findGate(pool, runId);
  if (gate !== undefined) await openGate(pool, gate);
}

// Gates of one look.
const OPENED_AT_ONCE = 50;

/**
 * Opens gates that have room: runs end in other ways than by their last step, limits are raised, workflows are activated. Goes on behind
 * `after`, the last gate of the look before. Returns the last one of this look; empty at the end of all.
 */
export async function openGates(pool: Pool, after: string): Promise<string> {
  const gates = await findOpenGates(pool, after, OPENED_AT_ONCE);
  for (const gate of gates) await openGate(pool, gate);
  return gates.length === OPENED_AT_ONCE ? (gates.at(-1) ?? '') : '';
}

export type GateDependencies = {
  pool: Pool;
  clock: Clock;
  plans: Plans;
  expressions: Pick<StepExpressions, 'evaluate'>;
};

/** A run that a worker has claimed to begin its next round. */
export type ClaimedRun = RunInput & {
  workflowId: string;
  version: number;
  environmentId: string;
  workflowStatus: 'draft' | 'active' | 'paused' | 'deleted';
};

/** Whether a claimed run may begin now. One that may not waits before its gate, was skipped, or somebody else has ended it. */
export type GateAnswer = 'begins' | 'waits' | 'skipped' | 'ended';
export type Admit = (run: ClaimedRun) => Promise<GateAnswer>;

/** A definition that cannot be read has none: its run begins, fails by that and says so. */
async function flowOf(plans: Plans, run: ClaimedRun): Promise<Partial<Flow>> {
  try {
    const { trigger } = (await plans(run)).plan;
    return 'cancelOn' in trigger ? trigger : {};
  } catch (failure) {
    if (isUnreachable(failure)) throw failure;
    return {};
  }
}

/**
 * Decides whether runs begin: by the status of their workflow, and by the `dedupe` and `concurrency` of their trigger. The decision stands
 * in PostgreSQL and is made under a lock of the gate, so that all workers together never let in more than the limit. A run that waits has
 * no Temporal workflow yet.
 */
export function createAdmit(deps: GateDependencies): Admit {
  const { pool, plans, clock } = deps;
  return async (run) => {
    // A run that has begun goes on, and so does one that a person retries.
    const isNew = run.round === 1;
    if (isNew && run.workflowStatus === 'deleted') {
      await cancelOfDeleted(pool, run);
      return 'ended';
    }
    if (isNew && run.workflowStatus === 'paused') {
      await inTransaction(pool, (connection) => waitForWorkflow(connection, run));
      return 'waits';
    }
    const { dedupe, concurrency } = await flowOf(plans, run);
    if (dedupe === undefined && concurrency === undefined) return 'begins';
    try {
      const { run: carried, context } = await beginningOf(deps, run, clock());
      return await inTransaction(pool, async (connection) => {
        // A person who begins or retries a run means it.
        const isByMessage = run.round === 1 && carried.messageId !== null;
        const first =
          dedupe !== undefined && isByMessage ? await firstOf(deps, connection, { run, dedupe, context }) : run.runId;
        if (first !== run.runId) {
          await skipRun(connection, run, `${first} has the same key`);
          return 'skipped';
        }
        return concurrency === undefined ? 'begins' : atGate(deps, connection, { run, concurrency, context });
      });
    } catch (failure) {
      if (failure instanceof RunSuperseded) return 'ended';
      throw failure;
    }
  };
}

type Asked = { run: ClaimedRun; context: RunContext };

/** The run that has the key of this one: itself where it is the first. */
async function firstOf(
  deps: Pick<GateDependencies, 'expressions' | 'clock'>,
  connection: PoolClient,
  { run, dedupe, context }: Asked & { dedupe: NonNullable<Flow['dedupe']> },
): Promise<string> {
  const value = valueOf(deps, dedupe.key, context);
  if (value === null) return run.runId;
  const madeAt = timeOfId('run', run.runId) ?? deps.clock();
  const until = new Date(madeAt.getTime() + dedupe.windowMs);
  return takeKey(connection, { ...run, key: hashOfValue(value), until });
}

async function atGate(
  deps: Pick<GateDependencies, 'expressions'>,
  connection: PoolClient,
  { run, concurrency, context }: Asked & { concurrency: NonNullable<Flow['concurrency']> },
): Promise<GateAnswer> {
  const { key, onLimit, limit } = concurrency;
  const gate = gateOf(run.workflowId, key === undefined ? '' : hashOfValue(valueOf(deps, key, context)));
  await lockGate(connection, gate);
  const { isAdmitted, isBehind, room } = await standAtGate(connection, { ...run, gate });
  const mustWait = room < 1 || (isBehind && !isAdmitted && onLimit === 'queue');
  if (mustWait && onLimit === 'queue') {
    await queueRun(connection, run);
    // Older ones wait though there is room: it is theirs.
    if (room > 0) await letIn(connection, gate, run.workflowId);
    return 'waits';
  }
  if (mustWait && onLimit === 'skip') {
    await skipRun(connection, run, `the limit of ${limit} is reached`);
    return 'skipped';
  }
  if (mustWait) await cancelOldest(connection, { gate, runId: run.runId, count: 1 - room });
  await goInside(connection, run.runId);
  return 'begins';
}

/** The run begins when its workflow is active again. */
async function waitForWorkflow(connection: PoolClient, run: ClaimedRun): Promise<void> {
  const gate = pausedGateOf(run.workflowId);
  await lockGate(connection, gate);
  await standAtGate(connection, { ...run, gate });
  await queueRun(connection, run);
}

/** A key that the run has no value for is null. */
function valueOf({ expressions }: Pick<GateDependencies, 'expressions'>, key: string, context: RunContext): unknown {
  try {
    return expressions.evaluate(key, context);
  } catch (failure) {
    if (failure instanceof ExpressionFailed) return null;
    throw failure;
  }
}
