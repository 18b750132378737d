import { LRUCache } from 'lru-cache';
import { DEADLY_PATIENCE_MS } from '../../kernel/contract/run-workflow.ts';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { CrashGuard } from '../../platform/crashes/crash-guard.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { isUnreachable } from '../../platform/db/failures.ts';
import { watchOf } from '../definitions/plan/events.ts';
import type { Plans, ReadyPlan } from '../engine/plans.ts';
import {
  type ArrivedMessage,
  readArrived,
  keyOfMessage,
  type Matching,
  readWaitingStep,
  type Wanted,
} from '../engine/waits/matching.ts';
import { findHearing, findWaitingSteps, giveMessage, lockHeard, removeHeard } from './heard-store.ts';

export type RoutingDependencies = Matching & {
  pool: Pool;
  plans: Plans;
  log: Pick<Logger, 'error'>;
  /** Starts the runs triggered by those of the messages that are service events. */
  beginByServiceEvents: (connection: PoolClient, environmentId: string, messageIds: readonly string[]) => Promise<void>;
  crashes: Pick<CrashGuard, 'during'>;
};

// Their payloads are in memory at the same time: at most 12 MiB per environment.
const ROUTED_AT_ONCE = 50;
// An environment whose messages take longer lets others continue, and resumes in the next round.
const ROUTED_FOR_MS = 250;
const ENVIRONMENTS_AT_ONCE = 4;
// Cache size, in characters; a version never changes.
const KEPT = 8_000_000;
const LEAST_WEIGHT = 100;

/**
 * Assigns queued messages to the runs that wait for them, starts the runs of service events, and removes the queue
 * entries. Several environments are processed concurrently, so that none waits for another's expressions; within each,
 * oldest first. Returns whether there may be more.
 */
export type RouteHeard = () => Promise<boolean>;

export function createRouteHeard(deps: RoutingDependencies): RouteHeard {
  const wantedAt = createWantedAt(deps);
  return async () => {
    const left = await findHearing(deps.pool);
    let isMore = false;
    const takeThem = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift())
        if (await routeOf({ ...deps, wantedAt }, id)) isMore = true;
    };
    const ends = await Promise.allSettled(Array.from({ length: ENVIRONMENTS_AT_ONCE }, takeThem));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return isMore;
  };
}

type Routing = RoutingDependencies & { wantedAt: WantedAt };

/**
 * Processes one round of one environment in one transaction. Evaluates each expression of a waiting step once per
 * message, however many runs wait there.
 */
function routeOf(deps: Routing, environmentId: string): Promise<boolean> {
  return inTransaction(deps.pool, async (connection) => {
    const heard = await lockHeard(connection, environmentId, ROUTED_AT_ONCE);
    if (heard.length === 0) return false;
    await deps.beginByServiceEvents(connection, environmentId, heard);
    const waitingSteps = await findWaitingSteps(connection, environmentId);
    const messages = waitingSteps.length === 0 ? [] : await readArrived(connection, heard);
    const until = performance.now() + ROUTED_FOR_MS;
    const left = new Set<string>();
    for (const message of messages) {
      if (performance.now() < until) await route(deps, connection, message, waitingSteps);
      else left.add(message.id);
    }
    await removeHeard(
      connection,
      heard.filter((id) => !left.has(id)),
    );
    return left.size > 0 || heard.length === ROUTED_AT_ONCE;
  });
}

async function route(
  deps: Routing,
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

/**
 * Returns the match key of a message for a waiting step. A definition that cannot be read, or that crashes processes,
 * does not keep the message from other runs.
 */
async function keyAt(deps: Routing, waitingStep: string, message: ArrivedMessage): Promise<string | undefined> {
  try {
    const work = { kind: 'waiting step', id: waitingStep, part: message.id, patienceMs: DEADLY_PATIENCE_MS } as const;
    return await deps.crashes.during(work, async () => {
      const wanted = await deps.wantedAt(waitingStep);
      return wanted === undefined ? undefined : await keyOfMessage(deps, wanted, message);
    });
  } catch (failure) {
    if (isUnreachable(failure)) throw failure;
    deps.log.error(
      { err: failure, ...readWaitingStep(waitingStep), messageId: message.id },
      'could not match a message against a waiting step because of an internal error; its runs keep waiting',
    );
    return undefined;
  }
}

/** Returns what a step of a version waits for; undefined if it does not wait. */
type WantedAt = (waitingStep: string) => Promise<Wanted | undefined>;

function createWantedAt({ plans }: Pick<RoutingDependencies, 'plans'>): WantedAt {
  const kept = new LRUCache<string, { wanted: Wanted | undefined }>({ maxSize: KEPT });
  return async (waitingStep) => {
    const known = kept.get(waitingStep);
    if (known !== undefined) return known.wanted;
    const { workflowId, version, stepId } = readWaitingStep(waitingStep);
    const wanted = wantedIn(await plans({ workflowId, version }), stepId);
    kept.set(waitingStep, { wanted }, { size: LEAST_WEIGHT + JSON.stringify(wanted ?? null).length });
    return wanted;
  };
}

function wantedIn({ plan, steps }: ReadyPlan, stepId: string): Wanted | undefined {
  const watch = watchOf(plan.trigger, stepId);
  if (watch !== undefined) return { channelIds: [], ...watch };
  const step = steps.get(stepId);
  if (step?.type !== 'wait_for_event') return undefined;
  const { channelIds, eventTypes, filter, match } = step;
  return { channelIds, eventTypes, ...(filter !== undefined && { filter }), match };
}
