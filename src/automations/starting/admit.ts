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

/** Returns the concurrency group of a run: one per workflow, or one per value of its key. */
const gateOf = (workflowId: string, key: string): string => `${workflowId}/${key}`;

/**
 * Returns the group in which runs wait while their workflow is paused. The keys of other groups are hashes, so none can
 * equal it.
 */
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

/** Called when a run has ended: admits the next run of its concurrency group. */
export async function leaveGate(pool: Pool, runId: string): Promise<void> {
  const gate = await findGate(pool, runId);
  if (gate !== undefined) await openGate(pool, gate);
}

// Groups processed per poll.
const OPENED_AT_ONCE = 50;

/**
 * Admits waiting runs of groups with free slots: runs can end in other ways than by their last step, limits can be
 * raised, workflows can be activated. Continues after `after`, the last group of the previous poll. Returns the last
 * group of this poll; empty when all have been processed.
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

/** A run that a worker has claimed to start its next round. */
export type ClaimedRun = RunInput & {
  workflowId: string;
  version: number;
  environmentId: string;
  workflowStatus: 'draft' | 'active' | 'paused' | 'deleted';
};

/**
 * Whether a claimed run may start now. Otherwise it waits in its concurrency group, was skipped, or has already ended.
 */
export type GateAnswer = 'begins' | 'waits' | 'skipped' | 'ended';
export type Admit = (run: ClaimedRun) => Promise<GateAnswer>;

/**
 * Returns the trigger's flow settings. A definition that cannot be read has none: its run starts, fails and reports the
 * reason.
 */
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
 * Decides whether runs start, by the status of their workflow and the `dedupe` and `concurrency` of their trigger. The
 * decision is made and stored in PostgreSQL under a lock of the group, so that all workers together never exceed the
 * limit. A waiting run has no Temporal workflow yet.
 */
export function createAdmit(deps: GateDependencies): Admit {
  const { pool, plans, clock } = deps;
  return async (run) => {
    // Runs that have already started continue, as do retried runs.
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
        // A run that a person starts or retries is never a duplicate.
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

/** Returns the run that already has this key, or this run if it is the first. */
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
    // Older runs wait although there is a free slot, so they are admitted first.
    if (room > 0) await letIn(connection, gate, run.workflowId);
    return 'waits';
  }
  if (mustWait && onLimit === 'skip') {
    await skipRun(connection, run, `the concurrency limit of ${limit} is reached`);
    return 'skipped';
  }
  if (mustWait) await cancelOldest(connection, { gate, runId: run.runId, count: 1 - room });
  await goInside(connection, run.runId);
  return 'begins';
}

/** Makes the run wait until its workflow is active again. */
async function waitForWorkflow(connection: PoolClient, run: ClaimedRun): Promise<void> {
  const gate = pausedGateOf(run.workflowId);
  await lockGate(connection, gate);
  await standAtGate(connection, { ...run, gate });
  await queueRun(connection, run);
}

/** Returns null if the run has no value for the key. */
function valueOf({ expressions }: Pick<GateDependencies, 'expressions'>, key: string, context: RunContext): unknown {
  try {
    return expressions.evaluate(key, context);
  } catch (failure) {
    if (failure instanceof ExpressionFailed) return null;
    throw failure;
  }
}
