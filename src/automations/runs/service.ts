import type { DatabaseReader } from '../../platform/db/client.ts';
import type { PoolClient } from 'pg';
import { wakeForRuns } from '../../platform/db/waking.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { keptBeforeFailure, replayRunLetters, retryRun } from '../../delivery/record/statements/run-again.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';
import { fieldPath } from '../../kernel/values/text.ts';
import { isId } from '../../kernel/values/ids.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import { type RunStatus, UNFINISHED_RUNS } from '../../kernel/words/statuses.ts';
import { newBudget, type Schemas } from '../../messaging/schemas/schemas.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { keptBefore, obstacleIn } from './kept-steps.ts';
import {
  CANCELLED_AT_ONCE,
  type CancelledRuns,
  type CancelRuns,
  type ListRuns,
  type RetryRun,
  type Run,
  type RunSummary,
} from './schema.ts';
import * as store from './store.ts';

export type Runs = {
  /**
   * Starts a run manually. `bodyText` is used to keep the payload digit for digit. Throws CONFLICT if the workflow is
   * not active, INVALID_REQUEST if the payload does not match the trigger's `inputSchema`.
   */
  start(caller: EnvironmentCaller, workflowId: string, bodyText: string): Promise<Run>;
  /** Returns runs, newest first. A filter that matches nothing returns an empty list. */
  list(caller: EnvironmentCaller, query: ListRuns): Promise<Page<RunSummary>>;
  /** Returns the runs of one workflow, even of a deleted one. */
  listOf(caller: EnvironmentCaller, workflowId: string, query: ListRuns): Promise<Page<RunSummary>>;
  get(caller: EnvironmentCaller, runId: string): Promise<Run>;
  /** Stops steps in progress; their effects remain. Throws CONFLICT if the run has ended. */
  cancel(caller: EnvironmentCaller, runId: string): Promise<Run>;
  /** Cancels unfinished runs of a workflow that match, even of a deleted one; the oldest 1,000 per request. */
  cancelMany(caller: EnvironmentCaller, workflowId: string, which: CancelRuns): Promise<CancelledRuns>;
  /**
   * Continues at the failed steps with the results of all others, or starts again at the beginning or at a step,
   * removing that step and those after it from the record. Its open dead letter is replayed. Throws CONFLICT for a run
   * that is in progress or completed, for a step that it has not reached, and for a definition that it cannot continue
   * under.
   */
  retry(caller: EnvironmentCaller, runId: string, how: RetryRun): Promise<Run>;
  /** Continues the run of an open dead letter at the failed steps. Throws CONFLICT if that is not possible. */
  replay(caller: EnvironmentCaller, letter: { id: string; runId: string }): Promise<Run>;
};

const CAN_BE_RETRIED: readonly RunStatus[] = ['failed', 'cancelled', 'paused', 'skipped'];

// Another request changed the run in the meantime, and its effect may already be over.
const CHANGED_MEANWHILE = 'The run was changed by another request in the meantime; read it again';
const LETTER_CLOSED = 'The dead letter was closed by another request in the meantime; read it again';

/** Maximum bytes of the payload of a manual run, as for a message. */
const PAYLOAD_BYTES = 262_144;

export function createRuns(
  { tenants, pool, newId, clock }: Pick<Dependencies, 'tenants' | 'pool' | 'newId' | 'clock'>,
  { audit, schemas }: { audit: { record: RecordAudit }; schemas: Pick<Schemas, 'check'> },
): Runs {
  const get = async (caller: EnvironmentCaller, runId: string): Promise<Run> => {
    const run = isId('run', runId)
      ? await tenants.within(caller, (transaction) => store.findRun(transaction, caller.environmentId, runId))
      : undefined;
    if (run === undefined) throw notFound('run');
    return run;
  };

  const requireWorkflow = async (caller: EnvironmentCaller, workflowId: string): Promise<void> => {
    const isThere =
      isId('workflow', workflowId) &&
      (await tenants.within(caller, (transaction) =>
        store.workflowExists(transaction, caller.environmentId, workflowId),
      ));
    if (!isThere) throw notFound('workflow');
  };

  const list = async (caller: EnvironmentCaller, query: ListRuns): Promise<Page<RunSummary>> => {
    const { environmentId } = caller;
    const { cursor: _, limit, since, until, outputs, ...filter } = query;
    const hasOutputs = outputs !== 'false';
    const scope: ListScope = {
      list: 'runs',
      environmentId,
      filters: { ...filter, status: filter.status?.join(','), outputs, ...windowText({ since, until }) },
    };
    const ids = idsWithin('run', { since, until });
    const page = pageRequest(scope, query);
    const rows = await tenants.list(caller, (transaction) =>
      store.findRuns(transaction, { environmentId, ...filter, ids }, { ...page, hasOutputs }),
    );
    return toPage(scope, limit, rows, (run) => run);
  };

  const isDeleted = async (caller: EnvironmentCaller, workflowId: string): Promise<boolean> =>
    (await tenants.within(caller, (transaction) => store.findToRun(transaction, caller.environmentId, workflowId))) ===
    undefined;

  /**
   * Changes a run, or reports by its status why it cannot be changed, even if another request has just set that status.
   */
  const change = async (
    caller: EnvironmentCaller,
    runId: string,
    {
      action,
      make,
      refusal,
    }: {
      action: 'run.cancelled' | 'run.retried';
      make: (connection: PoolClient, run: { id: string; environmentId: string }) => Promise<boolean>;
      refusal: (run: Run) => Promise<string> | string;
    },
  ): Promise<Run> => {
    await get(caller, runId);
    const { environmentId } = caller;
    const isChanged = await tenants.onConnection(caller, async (connection) => {
      if (!(await make(connection, { id: runId, environmentId }))) return false;
      await audit.record(connection, caller, { action, target: { id: runId } });
      return true;
    });
    if (!isChanged) throw new ApiError('CONFLICT', await refusal(await get(caller, runId)));
    await wakeForRuns(pool);
    return get(caller, runId);
  };

  /**
   * Returns the steps that keep their results in the next round, and the version of the definition if it changes.
   * Throws CONFLICT if something prevents it.
   */
  const nextRound = async (
    connection: PoolClient,
    run: { id: string; environmentId: string },
    { from, definition }: RetryRun,
  ): Promise<{ keptSteps: readonly string[] | undefined; version: number | undefined }> => {
    const isWhole = from === 'failed' || from === 'start';
    const ofWhole = from === 'failed' ? await keptBeforeFailure(connection, run.id) : [];
    const found = isWhole && definition === 'original' ? undefined : await store.findBegun(connection, run);
    if (found === undefined) return { keptSteps: ofWhole, version: undefined };
    const { own, latest, recorded } = found;
    const kept = isWhole ? undefined : keptBefore(definitionIn(own), recorded, from.stepId);
    if (kept !== undefined && 'obstacle' in kept) throw new ApiError('CONFLICT', kept.obstacle);
    const keptSteps = kept === undefined ? ofWhole : kept.stepIds;
    if (definition === 'original') return { keptSteps, version: undefined };
    const taken = keptSteps === undefined ? recorded : recorded.filter(({ stepId }) => keptSteps.includes(stepId));
    const obstacle =
      latest.trigger === null || latest.steps === null
        ? 'lacks a trigger or steps'
        : obstacleIn(definitionIn(latest), taken);
    if (obstacle !== undefined) throw new ApiError('CONFLICT', `The latest definition ${obstacle}`);
    return { keptSteps, version: latest.version };
  };

  /** Throws INVALID_REQUEST if the payload does not match the `inputSchema` of a manual trigger. */
  const requireInput = async (environmentId: string, trigger: string | null, input: string): Promise<void> => {
    const planned = planOf(trigger === null ? undefined : JSON.parse(trigger), []).trigger;
    if (planned.type !== 'manual' || planned.inputSchema === undefined) return;
    const payload = { key: environmentId, payload: JSON.parse(input) as unknown, text: input };
    const misfit = await schemas.check(JSON.stringify(planned.inputSchema), payload, newBudget());
    if (misfit !== undefined) throw invalidField(fieldPath(['payload', ...misfit.place]), misfit.reason);
  };

  return {
    get,
    list,

    async start(caller, workflowId, bodyText) {
      const { environmentId } = caller;
      const input = payloadIn(bodyText);
      const id = newId('run');
      const activeIn = async (reader: DatabaseReader) => {
        const workflow = isId('workflow', workflowId)
          ? await store.findToRun(reader, environmentId, workflowId)
          : undefined;
        if (workflow === undefined) throw notFound('workflow');
        if (workflow.status !== 'active')
          throw new ApiError('CONFLICT', `The workflow is ${workflow.status}; activate it before starting a run`);
        return workflow;
      };
      // Checked before the transaction, because a tenant's schema may take seconds.
      const checked = await tenants.read(caller, activeIn);
      await requireInput(environmentId, checked.trigger, input);
      await tenants.within(caller, async (transaction) => {
        const { version, trigger } = await activeIn(transaction);
        if (version !== checked.version) await requireInput(environmentId, trigger, input);
        await store.insertRun(transaction, { id, environmentId, workflowId, version, input, now: clock() });
        await audit.record(transaction, caller, { action: 'run.started', target: { id } });
      });
      await wakeForRuns(pool);
      return get(caller, id);
    },

    async listOf(caller, workflowId, query) {
      await requireWorkflow(caller, workflowId);
      return list(caller, { ...query, workflowId });
    },

    cancel: (caller, runId) =>
      change(caller, runId, {
        action: 'run.cancelled',
        make: (connection, run) =>
          store.cancelRun(connection, { ...run, reason: `cancelled by ${caller.principal.id}` }),
        refusal: ({ status }) =>
          UNFINISHED_RUNS.some((each) => each === status) ? CHANGED_MEANWHILE : `The run is ${status}`,
      }),

    async cancelMany(caller, workflowId, { status, ids: named, since, until, dryRun }) {
      await requireWorkflow(caller, workflowId);
      const { environmentId, principal } = caller;
      const ids = idsWithin('run', { since, until });
      const statuses = status === undefined ? UNFINISHED_RUNS : [status].flat();
      const which = { environmentId, workflowId, statuses, ids, named };
      const counted = await tenants.onConnection(caller, async (connection) => {
        const matched = await store.countUnfinished(connection, which);
        if (dryRun || matched === 0) return { matched, cancelled: 0 };
        const reason = `cancelled by ${principal.id}`;
        const cancelled = await store.cancelUnfinished(connection, which, { reason, most: CANCELLED_AT_ONCE });
        const after = { status, ids: named, since: since?.toString(), until: until?.toString(), cancelled };
        await audit.record(connection, caller, {
          action: 'workflow.runs_cancelled',
          target: { id: workflowId },
          after,
        });
        return { matched, cancelled };
      });
      if (counted.cancelled > 0) await wakeForRuns(pool);
      return {
        status: dryRun ? 'preview' : 'cancelled',
        ...counted,
        left: Math.max(0, counted.matched - counted.cancelled),
      };
    },

    retry: (caller, runId, how) =>
      change(caller, runId, {
        action: 'run.retried',
        make: async (connection, run) =>
          retryRun(connection, {
            ...run,
            requestedBy: caller.principal.id,
            ...(await nextRound(connection, run, how)),
          }),
        async refusal({ status, workflowId }) {
          if (!CAN_BE_RETRIED.includes(status))
            return `The run is ${status}; only failed, cancelled, skipped or paused runs can be retried`;
          return (await isDeleted(caller, workflowId)) ? 'The workflow of this run is deleted' : CHANGED_MEANWHILE;
        },
      }),

    async replay(caller, { id, runId }) {
      const { environmentId, principal } = caller;
      const replayed = await tenants.onConnection(caller, async (connection) => {
        const count = await replayRunLetters(connection, { ids: [id], environmentId, requestedBy: principal.id });
        if (count > 0) await audit.record(connection, caller, { action: 'dead_letter.replayed', target: { id } });
        return count;
      });
      const run = await get(caller, runId);
      if (replayed === 0)
        throw new ApiError(
          'CONFLICT',
          (await isDeleted(caller, run.workflowId)) ? 'The workflow of this dead letter is deleted' : LETTER_CLOSED,
        );
      return run;
    },
  };
}

/** Only active workflows have runs, so the version of a run always has both texts. */
const definitionIn = ({ trigger, steps }: store.VersionText): { trigger: unknown; steps: unknown } => ({
  trigger: JSON.parse(trigger ?? '{}'),
  steps: JSON.parse(steps ?? '[]'),
});

/** Returns the payload's own text in a validated body. */
function payloadIn(bodyText: string): string {
  const span = bodyText === '' ? undefined : memberSpan(bodyText, wholeSpan(bodyText), 'payload');
  const text = span === undefined ? '{}' : bodyText.slice(span.start, span.end);
  if (Buffer.byteLength(text) > PAYLOAD_BYTES)
    throw invalidField('payload', `must have at most ${PAYLOAD_BYTES} bytes`);
  return text;
}
