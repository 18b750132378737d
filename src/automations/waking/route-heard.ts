import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../../db/transaction.ts';
import { isUnreachable } from '../../db/connections/until-reachable.ts';
import { watchOf } from '../definitions/plan/cancel-watches.ts';
import type { Plans, ReadyPlan } from '../engine/plans.ts';
import { type ArrivedMessage, readArrived } from '../engine/waits/arrivals/arrived.ts';
import { keyOfMessage, type Matching, readWaitingStep, type Wanted } from '../engine/waits/arrivals/matching.ts';
import { findWaitingSteps, giveMessage, lockHeard, removeHeard } from './heard-store.ts';

export type RoutingDependencies = Matching & { pool: Pool; plans: Plans; log: Pick<Logger, 'error'> };

// Their payloads are in memory together: 12 MiB at most.
const ROUTED_AT_ONCE = 50;

/**
 * Gives noted messages to the runs that wait for them, oldest first, and takes the notes away, in one transaction. Each expression of a
 * waiting step is asked once for a message, however many runs wait there. Returns whether there may be more.
 */
export function routeHeard(deps: RoutingDependencies): Promise<boolean> {
  return inTransaction(deps.pool, async (connection) => {
    const heard = await lockHeard(connection, ROUTED_AT_ONCE);
    if (heard.length === 0) return false;
    const stepsOf = new Map<string, string[]>();
    for (const { environmentId } of heard)
      if (!stepsOf.has(environmentId)) stepsOf.set(environmentId, await findWaitingSteps(connection, environmentId));
    const awaited = heard.filter(({ environmentId }) => stepsOf.get(environmentId)?.length !== 0);
    const messages =
      awaited.length === 0
        ? []
        : await readArrived(
            connection,
            awaited.map(({ messageId }) => messageId),
          );
    for (const message of messages) await route(deps, connection, message, stepsOf.get(message.environmentId) ?? []);
    await removeHeard(
      connection,
      heard.map(({ messageId }) => messageId),
    );
    return heard.length === ROUTED_AT_ONCE;
  });
}

async function route(
  deps: RoutingDependencies,
  connection: PoolClient,
  message: ArrivedMessage,
  waitingSteps: readonly string[],
): Promise<void> {
  const keys: { waitingStep: string; key: string }[] = [];
  for (const waitingStep of waitingSteps) {
    const key = await keyAt(deps, waitingStep, message);
    if (key !== undefined) keys.push({ waitingStep, key });
  }
  if (keys.length > 0) await giveMessage(connection, message, keys);
}

/** The key of a message at a waiting step. A definition that cannot be read keeps no message from the runs of others. */
async function keyAt(
  deps: RoutingDependencies,
  waitingStep: string,
  message: ArrivedMessage,
): Promise<string | undefined> {
  const { workflowId, version, stepId } = readWaitingStep(waitingStep);
  try {
    const wanted = wantedAt(await deps.plans({ workflowId, version }), stepId);
    return wanted === undefined ? undefined : await keyOfMessage(deps, wanted, message);
  } catch (failure) {
    if (isUnreachable(failure)) throw failure;
    deps.log.error(
      { err: failure, workflowId, version, stepId, messageId: message.id },
      'a message was not held against a step that waits, by a fault of the service; its runs wait on',
    );
    return undefined;
  }
}

/** The part of a version that waits at a step for messages. */
function wantedAt({ plan, steps }: ReadyPlan, stepId: string): Wanted | undefined {
  const watch = watchOf(plan.trigger, stepId);
  if (watch !== undefined) return { channelIds: [], ...watch };
  const step = steps.get(stepId);
  return step?.type === 'wait_for_event' ? step : undefined;
}
