import type { Pool } from 'pg';
import { wakeForRuns } from '../../platform/db/waking.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { findGate, findOpenGates, letIn, lockGate } from './gate-store.ts';

/** The gate of runs whose trigger has `concurrency`: all of a workflow, or those of one value of its key. */
export const gateOf = (workflowId: string, key: string): string => `${workflowId}/${key}`;

/** The gate before which runs wait while their workflow is paused. Keys of other gates are hashes, so none is like it. */
export const pausedGateOf = (workflowId: string): string => gateOf(workflowId, 'paused');

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
