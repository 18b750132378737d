import type { PoolClient } from 'pg';
import { endOf, stepKey, type Way, type RunInput } from '../../kernel/contract/run-workflow.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Filters } from '../../messaging/filters/filters.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { ExactJson, memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';
import { createShares } from '../../platform/rate-limits/counters.ts';
import type { Definition, Workflows } from '../definitions/service.ts';
import type { PlannedStep, Trigger } from '../definitions/configs/planned.ts';
import type { ActionKind } from '../engine/attempt-step.ts';
import type { Sample } from '../engine/load-store.ts';
import { readyPlan, type ReadyPlan } from '../engine/plans.ts';
import type { StepExpressions } from '../expressions/expressions.ts';
import type { EngineDependencies } from '../engine/take-step.ts';
import { createMocks, type Mocks } from './mocks.ts';
import type { Trial, TriedStep, TestWorkflow, TrialBegins } from './schema.ts';
import { insertTrial, readFilter, readSteps, readRows, restoreRows } from './store.ts';
import { walk, type Walked } from './walk.ts';
import { listedEventTypes, wantsEventType, systemChannelId } from '../../kernel/words/event-types.ts';
import { coversChannel, triggerFilter } from '../definitions/plan/events.ts';
import type { Tenant } from '../../platform/db/tenant-query.ts';
import type { Tenants } from '../../platform/db/tenants.ts';
import { approval, resultOf, wayOfDecision } from '../engine/waits/approval.ts';
import { childRun } from '../engine/waits/child-run.ts';
import { timedOut, waitForEvent, wayOfTimeout } from '../engine/waits/wait-for-event.ts';

export type Trials = {
  /**
   * Executes the steps of a stored workflow, in any status, with a sample event and without effects: no request, no
   * message, no record. Throws CONFLICT for a workflow without steps, UNAVAILABLE while too many others are being
   * tested. `bodyText` is used to keep numbers digit for digit.
   */
  make(caller: EnvironmentCaller, workflowId: string, body: TestWorkflow, bodyText: string): Promise<Trial>;
};

export type TrialDependencies = Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'log'> & {
  workflows: Pick<Workflows, 'definitionOf'>;
  /** Evaluated as in publishing. */
  filters: Pick<Filters, 'evaluate'>;
  expressions: Pick<StepExpressions, 'evaluate' | 'resolve' | 'evaluateAhead' | 'evaluateAll'>;
  /** Kinds of actions, of which only the preparation is used. */
  kinds: Readonly<Record<'http' | 'publish' | 'connector', ActionKind>>;
};

// Each test run holds a connection.
const AT_ONCE = 4;
const AT_ONCE_OF_ORGANISATION = 2;
const LONGEST_MS = 10_000;

class TookTooLong extends Error {}

export function createTrials(deps: TrialDependencies): Trials {
  const { tenants, newId, workflows, filters } = deps;
  const shares = createShares({ inAll: AT_ONCE, ofOne: AT_ONCE_OF_ORGANISATION });

  /** Limits test runs per process and per organisation, so that one organisation cannot use up all slots. */
  const inPlace = async <T>({ organisationId }: EnvironmentCaller, work: () => Promise<T>): Promise<T> => {
    if (shares.take(organisationId) !== 'taken')
      throw new ApiError(
        'UNAVAILABLE',
        'Too many workflows are being tested at the moment; try again after Retry-After',
        { retryAfter: 1 },
      );
    try {
      return await work();
    } finally {
      shares.give(organisationId);
    }
  };

  return {
    async make(caller, workflowId, body, bodyText) {
      const { environmentId } = caller;
      const definition = await workflows.definitionOf(caller, workflowId);
      const ready = planOfStored(definition);
      const mocks = createMocks(body.mocks ?? {}, bodyText, ready.steps);
      const sample = sampleOf(body, bodyText, { id: newId('message'), now: deps.clock() });
      const run = { id: newId('run'), environmentId, workflowId, version: definition.version };
      const takeAll = async (record: TrialRecord): Promise<Omit<Trial, 'triggerMatch'>> => {
        await insertTrial(record.connection(), run);
        const input = { runId: run.id, round: 1 };
        const walked = await takeSteps(deps, record, { input, ready, mocks, sample });
        const filteredBy = await readFilter(record.connection(), run.id);
        const trial = toTrial(walked, (await readSteps(record.connection(), run.id)).map(toStep(mocks)));
        return { ...trial, ...(filteredBy !== undefined && { filteredBy }) };
      };
      return inPlace(caller, async () => ({
        triggerMatch: await beginsWith(filters, ready.plan.trigger, {
          environmentId,
          key: workflowId,
          event: body.event,
          sample,
        }),
        ...(await withoutTrace(tenants, caller, run.id, takeAll)),
      }));
    },
  };
}

/** Returns the current version; a draft without a trigger gets a manual one. */
function planOfStored({ name, trigger = '{"type":"manual"}', steps = '[]' }: Definition): ReadyPlan {
  const ready = readyPlan({ name, trigger, steps });
  if (ready.steps.size === 0) throw new ApiError('CONFLICT', 'The workflow has no steps yet');
  return ready;
}

function sampleOf({ event = {} }: TestWorkflow, bodyText: string, { id, now }: { id: string; now: Date }): Sample {
  const given = bodyText === '' ? undefined : memberSpan(bodyText, wholeSpan(bodyText), 'event');
  const payload = given && memberSpan(bodyText, given, 'payload');
  return {
    messageId: id,
    channelId: event.channelId ?? '',
    eventType: event.eventType ?? '',
    payload: payload === undefined ? '{}' : bodyText.slice(payload.start, payload.end),
    metadata: event.metadata ?? {},
    publishedAt: now,
    isTrial: true,
  };
}

type Trying = { input: RunInput; ready: ReadyPlan; mocks: Mocks; sample: Sample };

/** The engine only runs single statements on its pool. */
const poolOf = (record: TrialRecord): EngineDependencies['pool'] =>
  ({
    query: (...given: Parameters<PoolClient['query']>) => record.connection().query(...given),
  }) as unknown as EngineDependencies['pool'];

/** Returns the final transition of the run; undefined if it took too long. */
async function takeSteps(
  { kinds, ...deps }: TrialDependencies,
  record: TrialRecord,
  { input, ready, mocks, sample }: Trying,
): Promise<Walked | undefined> {
  const until = performance.now() + LONGEST_MS;
  const triedWait = createTriedWaits(deps);
  const kindOf = (step: PlannedStep): ActionKind | undefined => {
    const wait = triedWait(step);
    if (wait !== undefined) return wait;
    return step.type === 'action' && step.action !== 'log' ? kinds[step.action] : undefined;
  };
  try {
    return await walk(
      {
        engine: {
          ...deps,
          pool: poolOf(record),
          plans: () => Promise.resolve(ready),
          sample,
        },
        steps: ready.steps,
        kindOf(step, stepInput) {
          const kind = kindOf(step);
          return kind && mocks.standIn(kind, stepInput);
        },
        async look() {
          if (performance.now() > until) throw new TookTooLong();
          await record.renew();
        },
      },
      input,
      ready.plan.entry,
    );
  } catch (failure) {
    if (failure instanceof TookTooLong) return undefined;
    throw failure;
  }
}

function toTrial(walked: Walked | undefined, steps: TriedStep[]): Omit<Trial, 'triggerMatch'> {
  if (walked === undefined)
    return { status: 'cancelled', reason: `a test run takes at most ${LONGEST_MS / 1_000} s`, steps };
  const { way, stepId } = walked;
  const last = steps.find(({ id, iteration }) => id === stepId && iteration === walked.iteration);
  const { error, output } = last ?? {};
  return {
    status: statusOf(way),
    ...(error !== undefined && stepId !== undefined && !way.startsWith('>') && { error: { ...error, stepId } }),
    ...(output !== undefined && endOf(way) !== undefined && { output }),
    // Loops and branches around a step that ended the run are stopped, as in a real run.
    steps: steps.map((step) => (step.status === 'running' ? { ...step, status: 'cancelled' } : step)),
  };
}

function statusOf(way: Way): Trial['status'] {
  if (way === 'pause') return 'paused';
  return way === 'failure' ? 'failed' : (endOf(way) ?? 'completed');
}

const toStep =
  (mocks: Mocks) =>
  (row: Awaited<ReturnType<typeof readSteps>>[number]): TriedStep => {
    const mocked = mocks.originOf(stepKey(row.stepId, row.iteration));
    return {
      id: row.stepId,
      iteration: row.iteration,
      // `as`: the columns only have values of these lists.
      type: row.type as TriedStep['type'],
      status: row.status as TriedStep['status'],
      ...(row.input !== null && row.type !== 'parallel' && { input: new ExactJson(row.input) }),
      ...(row.output !== null && { output: new ExactJson(row.output) }),
      ...(row.errorCode !== null && { error: { code: row.errorCode, message: row.errorMessage ?? '' } }),
      ...(mocked !== undefined && { mocked }),
    };
  };

const NO_RUN = 'run_00000000000000000000000000';
const NOBODY = { status: 'expired', by: null, at: null, comment: null, data: null } as const;

const member = (output: unknown, name: string): unknown =>
  typeof output === 'object' && output !== null ? Reflect.get(output, name) : undefined;

/**
 * Handles waiting steps in a test run: returns what they would wait for and then times out immediately, unless a mock
 * ends the wait. A step that would start a run does not. Returns undefined for a step that does not wait.
 */
function createTriedWaits(deps: {
  expressions: Pick<StepExpressions, 'evaluate' | 'resolve'>;
}): (step: PlannedStep) => ActionKind | undefined {
  return (step) => {
    if (step.type === 'wait_for_event')
      return {
        prepare: (loaded) => waitForEvent.evaluate(deps, loaded).record,
        perform: async () => timedOut(step),
        wayOf: (output) => (member(output, 'matched') === true ? undefined : wayOfTimeout(step)),
      };
    if (step.type === 'approval')
      return {
        prepare: (loaded) => approval.evaluate(deps, loaded).record,
        perform: async () => resultOf(step, NOBODY).output,
        wayOf(output) {
          const by = member(output, 'by');
          return wayOfDecision(step, member(output, 'decision'), typeof by === 'string' ? by : 'its mock');
        },
      };
    if (step.type === 'workflow')
      return {
        prepare: (loaded) => childRun.evaluate(deps, loaded).record,
        perform: async () => ({ runId: NO_RUN, ...(step.isAwaited && { output: null }) }),
      };
    return undefined;
  };
}

// Streams show no message published after the oldest open transaction, so a test run's transactions are short.
const OPEN_FOR_MS = 100;

/** A test run's rows. They are never visible to others: each transaction that holds them is rolled back. */
export type TrialRecord = {
  /** The current transaction. */
  connection(): PoolClient;
  /** Moves the rows to a new transaction if the current one has been open for long. */
  renew(): Promise<void>;
};

class RollBack extends Error {}

/** Runs the work with the rows of its own run, and always rolls them back. */
export async function withoutTrace<T>(
  tenants: Pick<Tenants, 'onConnection'>,
  tenant: Tenant,
  runId: string,
  work: (record: TrialRecord) => Promise<T>,
): Promise<T> {
  let open = await openTransaction(tenants, tenant);
  try {
    return await work({
      connection: () => open.connection,
      async renew() {
        if (performance.now() - open.since < OPEN_FOR_MS) return;
        const rows = await readRows(open.connection, runId);
        await open.rollBack();
        open = await openTransaction(tenants, tenant);
        await restoreRows(open.connection, rows);
      },
    });
  } finally {
    await open.rollBack();
  }
}

type OpenTransaction = { connection: PoolClient; since: number; rollBack(): Promise<void> };

function openTransaction(tenants: Pick<Tenants, 'onConnection'>, tenant: Tenant): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    let end = (): void => undefined;
    const isOver = new Promise<void>((over) => {
      end = over;
    });
    const ended = tenants
      .onConnection(tenant, async (connection) => {
        const rollBack = (): Promise<void> => {
          end();
          return ended;
        };
        resolve({ connection, since: performance.now(), rollBack });
        await isOver;
        throw new RollBack();
      })
      .then(
        () => undefined,
        (failure: unknown) => {
          if (!(failure instanceof RollBack)) throw failure;
        },
      );
    // A failure before the transaction began. Later ones are those of `rollBack`.
    ended.catch(reject);
  });
}

/** `key`: groups filter evaluations for fairness. `sample`: the event with defaults for what was left out. */
type Asked = { environmentId: string; key: string; event: TestWorkflow['event']; sample: Sample };
type OfMessages = Extract<Trigger, { type: 'event' | 'webhook' }>;

/**
 * Evaluates the trigger with the event as publishing does (src/messaging/publishing/configs/new-runs.ts). Channel,
 * event type and metadata match if they are left out. The filter sees their defaults.
 */
async function beginsWith(
  filters: Pick<Filters, 'evaluate'>,
  trigger: Trigger,
  { environmentId, key, event = {}, sample }: Asked,
): Promise<TrialBegins> {
  if (trigger.type === 'manual' || trigger.type === 'schedule')
    return {
      wouldStart: false,
      reason: 'trigger_type',
      detail: trigger.type === 'manual' ? 'starts manually' : 'starts at scheduled times',
    };
  const elsewhere = elsewhereOf(trigger, event, systemChannelId(environmentId));
  if (elsewhere !== undefined) return elsewhere;
  if (event.eventType !== undefined && !wantsEventType(trigger.eventTypes, event.eventType))
    return { wouldStart: false, reason: 'event_type', detail: `starts for ${listedEventTypes(trigger.eventTypes)}` };
  if (trigger.filter === undefined) return { wouldStart: true, reason: 'no_filter' };
  const message = {
    key,
    eventType: sample.eventType ?? '',
    payload: sample.payload ?? '{}',
    metadata: sample.metadata ?? undefined,
  };
  const [verdict] = await filters.evaluate([triggerFilter(trigger.filter)], message);
  if (verdict?.error !== undefined) return { wouldStart: false, reason: 'filter_failed', detail: verdict.error };
  return verdict?.matches === true
    ? { wouldStart: true, reason: 'filter_matches' }
    : { wouldStart: false, reason: 'filter_does_not_match' };
}

/** Returns the result if the event is from another channel or webhook than the trigger's; undefined otherwise. */
function elsewhereOf(
  trigger: OfMessages,
  { channelId, metadata }: NonNullable<TestWorkflow['event']>,
  systemId: string,
): TrialBegins | undefined {
  if (trigger.type === 'webhook')
    return metadata === undefined || metadata['webhookId'] === trigger.webhookId
      ? undefined
      : { wouldStart: false, reason: 'webhook', detail: `starts for messages of ${trigger.webhookId}` };
  if (channelId === undefined || coversChannel(trigger, { channelId, isSystem: channelId === systemId }))
    return undefined;
  const { channelIds } = trigger;
  const detail =
    channelIds.length === 0
      ? `starts for service events only if it names ${systemId} or their event types`
      : `starts for messages of ${channelIds.join(', ')}`;
  return { wouldStart: false, reason: 'channel', detail };
}
