import type { DatabaseTransaction, DatabaseReader } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import {
  ApiError,
  type ErrorDetails,
  invalidField,
  invalidFields,
  notFound,
  BodyMisfit,
  topOf,
} from '../../kernel/errors.ts';
import { changedParts } from '../../kernel/words/audit-actions.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, narrowByName, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { WorkflowStatus } from '../../kernel/words/statuses.ts';
import type { Schemas } from '../../messaging/schemas/schemas.ts';
import { announceListening, announceTriggers, triggerTypeOf } from './announce.ts';
import { endProblems } from './configs/schedule.ts';
import type { ChecksAndLookUps } from './problems/languages-and-targets.ts';
import { createFindProblems, type DefinitionLook, requireFitting, together, parsed, textsIn } from './validate.ts';
import { listeningIn, triggerFilter } from './plan/events.ts';
import { missingIn } from './problems/problems.ts';
import {
  type CreateWorkflow,
  type ListVersions,
  type ListWorkflows,
  type UpdateWorkflow,
  type ValidateWorkflow,
  type DefinitionValidation,
  VERSIONS_AT_ONCE,
  type Workflow,
  workflowChange,
  type WorkflowVersions,
} from './schema.ts';
import * as store from './store.ts';
import { countSteps, type StoredWorkflow, findVersions } from './store.ts';
import type { Filters } from '../../messaging/filters/filters.ts';
import { UNITS_OF_A_CHANNEL } from '../../messaging/filters/expressions/units.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import { planOf } from './plan/compile.ts';

/** One version of a workflow. Trigger and steps are the author's JSON texts. */
export type Definition = { name: string; status: WorkflowStatus; version: number } & store.DefinitionTexts;

export type Workflows = {
  /** `bodyText` is used to store trigger and steps exactly as they were written. */
  create(caller: EnvironmentCaller, body: CreateWorkflow | BodyMisfit, bodyText: string): Promise<Workflow>;
  list(caller: EnvironmentCaller, query: ListWorkflows): Promise<Page<Workflow>>;
  get(caller: EnvironmentCaller, id: string): Promise<Workflow>;
  /** Returns versions, newest (current) first; with `version` only that one, including its definition. */
  versions(caller: EnvironmentCaller, id: string, query: ListVersions): Promise<WorkflowVersions>;
  /** Returns the current version for other services. */
  definitionOf(caller: EnvironmentCaller, id: string): Promise<Definition>;
  /** New runs use the new definition at once; runs in progress keep theirs. */
  update(caller: EnvironmentCaller, id: string, body: UpdateWorkflow | BodyMisfit, bodyText: string): Promise<Workflow>;
  /** Soft delete: its runs stay readable, and runs in progress continue. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /** Throws CONFLICT, with all `errors`, while something is missing. Repeating it changes nothing. */
  activate(caller: EnvironmentCaller, id: string): Promise<Workflow>;
  /** No new runs start; runs in progress continue. Throws CONFLICT for a draft. */
  pause(caller: EnvironmentCaller, id: string): Promise<Workflow>;
  /** Returns all problems of a new workflow, or of a change to an existing one. Stores nothing. */
  validate(
    caller: EnvironmentCaller,
    body: ValidateWorkflow | BodyMisfit,
    bodyText: string,
  ): Promise<DefinitionValidation>;
};

type Collaborators = {
  checks: ChecksAndLookUps;
  activation: Activation;
  schemas: Pick<Schemas, 'problemOf'>;
  audit: { record: RecordAudit };
};

export function createWorkflows(
  { tenants, newId, clock, costly }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'costly'>,
  { checks, activation, schemas, audit }: Collaborators,
): Workflows {
  /** An invalid id never reaches the database, whatever characters it has. */
  const found = async (
    id: string,
    look: () => Promise<store.StoredWorkflow | undefined>,
  ): Promise<store.StoredWorkflow> => {
    const stored = isId('workflow', id) ? await look() : undefined;
    if (stored === undefined) throw notFound('workflow');
    return stored;
  };
  const read = (caller: EnvironmentCaller, id: string) =>
    found(id, () => tenants.read(caller, (reader) => store.findWorkflow(reader, caller.environmentId, id)));
  /** Reads a workflow named in a body. Throws INVALID_REQUEST if the environment does not have it. */
  const readNamed = async (caller: EnvironmentCaller, id: string): Promise<store.StoredWorkflow> => {
    const stored = isId('workflow', id)
      ? await tenants.read(caller, (reader) => store.findWorkflow(reader, caller.environmentId, id))
      : undefined;
    if (stored === undefined) throw invalidField('id', 'must be the id of a workflow in this environment');
    return stored;
  };
  const lock = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.lockWorkflow(transaction, environmentId, id));

  const withStepCounts = createStepCounts();
  const findProblems = createFindProblems({ checks, schemas, costly });
  /**
   * Finds all problems of `texts` before a transaction begins, because checking host names and schemas may take
   * seconds.
   */
  const examine = async (caller: EnvironmentCaller, texts: store.DefinitionTexts, own?: string): Promise<Examined> => {
    const { environmentId } = caller;
    const look: DefinitionLook = (look) => tenants.read(caller, look);
    return { texts, problems: await findProblems(texts, { environmentId, look, own }) };
  };
  /**
   * Returns the problems within a transaction: those found before it, unless another request has changed the texts
   * since.
   */
  const problemsWithin = async (
    transaction: DatabaseTransaction,
    { environmentId }: EnvironmentCaller,
    texts: store.DefinitionTexts,
    { own, examined }: { own: string; examined: Examined | undefined },
  ): Promise<ErrorDetails[]> =>
    examined !== undefined && isSameDefinition(texts, examined.texts)
      ? examined.problems
      : findProblems(texts, { environmentId, look: (look) => look(transaction), own });

  /** Returns why this definition would not start any runs. */
  const inactiveIn = (texts: store.DefinitionTexts): ErrorDetails[] => {
    const given = parsed(texts);
    return [...missingIn(given), ...endProblems(given.trigger, clock())];
  };

  /**
   * Throws CONFLICT, with all problems, if the workflow lacks something, its schedule has ended, or something it refers
   * to no longer exists, and if the environment already has the maximum of active workflows. `gone`: the current
   * problems of these texts.
   */
  const requireComplete = async (
    transaction: DatabaseTransaction,
    caller: EnvironmentCaller,
    { id, texts, gone }: { id: string; texts: store.DefinitionTexts; gone: readonly ErrorDetails[] },
  ): Promise<void> => {
    const [first, ...others] = together(gone, inactiveIn(texts));
    if (first !== undefined) throw invalidFields([first, ...others], 'CONFLICT');
    const active = await store.lockActiveTriggers(transaction, caller.environmentId, id);
    const problem = activation.problemOf(String(texts.trigger), active);
    if (problem !== undefined) throw new ApiError('CONFLICT', problem);
  };

  const setStatus = async (caller: EnvironmentCaller, id: string, status: 'active' | 'paused'): Promise<Workflow> => {
    const known = await read(caller, id);
    if (known.workflow.status === status) return known.workflow;
    const examined = status === 'active' ? await examine(caller, known.texts, id) : undefined;
    return tenants.within(caller, async (transaction) => {
      const stored = await lock(transaction, caller, id);
      const { workflow, texts } = stored;
      if (workflow.status === status) return workflow;
      if (status === 'active') {
        const gone = await problemsWithin(transaction, caller, texts, { own: id, examined });
        await requireComplete(transaction, caller, { id, texts, gone });
      } else if (workflow.status === 'draft')
        throw new ApiError('CONFLICT', 'The workflow is a draft and was never active');
      await store.updateWorkflow(transaction, caller.environmentId, stored, { status, now: clock() });
      await announceTriggers(transaction, { environmentId: caller.environmentId, workflowId: id }, texts.trigger);
      const action = status === 'active' ? 'workflow.activated' : 'workflow.paused';
      await audit.record(transaction, caller, { action, target: { id } });
      return (await found(id, () => store.findWorkflow(transaction, caller.environmentId, id))).workflow;
    });
  };

  return {
    async create(caller, body, bodyText) {
      const texts = textsIn(body, bodyText);
      const good = requireFitting(body, (await examine(caller, texts)).problems);
      return tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const { name, description, status } = good;
        const id = newId('workflow');
        if (status === 'active') await requireComplete(transaction, caller, { id, texts, gone: [] });
        const triggerType = triggerTypeOf(texts.trigger);
        const listens = listeningIn(texts);
        const workflow = await store.insertWorkflow(transaction, {
          id,
          environmentId,
          name,
          description,
          status,
          triggerType,
          texts,
          listens,
          madeBy: caller.principal.id,
          now: clock(),
        });
        await announceListening(transaction, environmentId, listens);
        if (status === 'active') await announceTriggers(transaction, { environmentId, workflowId: id }, texts.trigger);
        await audit.record(transaction, caller, { action: 'workflow.created', target: { id }, after: good });
        return workflow;
      });
    },

    async list(caller, { definitions, limit, cursor, name, ...filter }) {
      const { environmentId } = caller;
      const hasDefinitions = definitions !== 'false';
      const filters = { ...filter, ids: filter.ids?.join(','), name, definitions };
      const scope: ListScope = { list: 'workflows', environmentId, filters };
      const page = pageRequest(scope, { limit, cursor });
      // The filter reads rows one by one; an empty text matches every name.
      const part = name ?? (filter.connectionId === undefined ? undefined : '');
      const { wanted, lookedTo } = await narrowByName(filter, part, (named) =>
        tenants.list(caller, (transaction) => store.findWorkflowsNamed(transaction, environmentId, page, named)),
      );
      const rows = await tenants.read(caller, async (reader) => {
        const found = await store.findWorkflows(reader, environmentId, page, { ...wanted, hasDefinitions });
        return hasDefinitions ? found.map(({ workflow }) => workflow) : withStepCounts(reader, found);
      });
      return toPage(scope, page.limit, rows, (workflow) => workflow, lookedTo);
    },

    get: async (caller, id) => (await read(caller, id)).workflow,

    async versions(caller, id, query) {
      await read(caller, id);
      const which = { environmentId: caller.environmentId, workflowId: id, ...query };
      const rows = await tenants.read(caller, (reader) => findVersions(reader, which));
      return { versions: rows.slice(0, VERSIONS_AT_ONCE), hasMore: rows.length > VERSIONS_AT_ONCE };
    },

    async definitionOf(caller, id) {
      const { workflow, version, texts } = await read(caller, id);
      return { name: workflow.name, status: workflow.status, version, ...texts };
    },

    async update(caller, id, body, bodyText) {
      const given = textsIn(body, bodyText);
      const known = await read(caller, id);
      const wanted = { ...known.texts, ...given };
      const isExamined = fieldsIn(body).status === 'active' || !isSameDefinition(wanted, known.texts);
      const examined = isExamined ? await examine(caller, wanted, id) : undefined;
      return tenants.within(caller, async (transaction) => {
        const stored = await lock(transaction, caller, id);
        const { workflow, texts: before } = stored;
        const texts = { ...before, ...given };
        const isOther = !isSameDefinition(texts, before);
        const wrong = (): Promise<ErrorDetails[]> => problemsWithin(transaction, caller, texts, { own: id, examined });
        const good = requireFitting(body, [...changeProblems(workflow, body), ...(isOther ? await wrong() : [])]);
        const { trigger: _, steps: __, ...change } = workflowChange.of(workflow, good);
        if (!isOther && Object.keys(change).length === 0) return workflow;
        const status = change.status ?? workflow.status;
        if (status === 'active' && (isOther || workflow.status !== 'active'))
          await requireComplete(transaction, caller, { id, texts, gone: isOther ? [] : await wrong() });
        const listens = isOther ? listeningIn(texts) : undefined;
        await store.updateWorkflow(transaction, caller.environmentId, stored, {
          ...change,
          ...(isOther && {
            definition: { texts, listens, madeBy: caller.principal.id, triggerType: triggerTypeOf(texts.trigger) },
          }),
          now: clock(),
        });
        if (isOther) await announceListening(transaction, caller.environmentId, listens);
        if (workflow.status === 'active' || status === 'active')
          await announceTriggers(
            transaction,
            { environmentId: caller.environmentId, workflowId: id },
            before.trigger,
            texts.trigger,
          );
        const updated = await found(id, () => store.findWorkflow(transaction, caller.environmentId, id));
        const changed = [...Object.keys(change), ...(isOther ? Object.keys(given) : [])];
        const parts = changedParts(
          { ...workflow, ...parsed(before) },
          { ...updated.workflow, ...parsed(texts) },
          changed,
        );
        await audit.record(transaction, caller, { action: 'workflow.updated', target: { id }, ...parts });
        return updated.workflow;
      });
    },

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { workflow, texts } = await lock(transaction, caller, id);
        await store.markWorkflowDeleted(transaction, caller.environmentId, id, clock());
        if (workflow.status === 'active')
          await announceTriggers(transaction, { environmentId: caller.environmentId, workflowId: id }, texts.trigger);
        await audit.record(transaction, caller, { action: 'workflow.deleted', target: { id } });
      }),

    activate: (caller, id) => setStatus(caller, id, 'active'),
    pause: (caller, id) => setStatus(caller, id, 'paused'),

    async validate(caller, body, bodyText) {
      const faults = body instanceof BodyMisfit ? body.faults : [];
      if (!faults.every((fault) => OWN_FIELDS.has(topOf(fault)))) requireFitting(body, []);
      const { id, name } = fieldsIn(body);
      const stored = typeof id === 'string' ? await readNamed(caller, id) : undefined;
      const texts = { ...stored?.texts, ...textsIn(body, bodyText) };
      const errors = together(
        faults,
        stored === undefined && name === undefined ? [{ field: 'name', reason: 'is required' }] : [],
        stored === undefined ? [] : changeProblems(stored.workflow, body),
        (await examine(caller, texts, stored?.workflow.id)).problems,
        inactiveIn(texts),
      );
      return { valid: errors.length === 0, errors };
    },
  };
}

/** A definition with all problems found when it was checked. */
type Examined = { texts: store.DefinitionTexts; problems: ErrorDetails[] };

/** Definitions are compared as texts, because the author's text is what is stored. */
const isSameDefinition = (one: store.DefinitionTexts, other: store.DefinitionTexts): boolean =>
  one.trigger === other.trigger && one.steps === other.steps;

/** Fields whose problems are part of the validation result and do not make the request invalid. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'status', 'trigger', 'steps']);

const fieldsIn = (body: object): { id?: unknown; name?: unknown; status?: unknown } =>
  body instanceof BodyMisfit ? body.rest() : body;

/** Returns why other fields than trigger and steps cannot be changed this way. */
function changeProblems(workflow: Workflow, body: object): ErrorDetails[] {
  const fields = fieldsIn(body);
  const isPausedDraft = fields.status === 'paused' && workflow.status === 'draft';
  const reason = 'must not be paused: the workflow is a draft and was never active';
  return [...workflowChange.problemsOf(workflow, fields), ...(isPausedDraft ? [{ field: 'status', reason }] : [])];
}

/** Maximum entries in the cache: about 1 MB. */
const MOST_KEPT = 10_000;

/**
 * Adds the number of steps to workflows in lists that leave the steps out. Lists are requested every few seconds, and
 * counting reads up to 256 KiB per row. A version never changes, so each process counts its steps once.
 */
function createStepCounts() {
  const kept = new Map<string, number>();
  return async (
    reader: Pick<DatabaseReader, '$queryRawUnsafe'>,
    found: readonly StoredWorkflow[],
  ): Promise<Workflow[]> => {
    const unknown = found.filter((each) => !kept.has(keyOf(each.workflow.id, each.version)));
    const counted = new Map<string, number>();
    if (unknown.length > 0) {
      if (kept.size + unknown.length > MOST_KEPT) kept.clear();
      const ids = unknown.map(({ workflow }) => workflow.id);
      for (const { id, version, count } of await countSteps(reader, ids)) {
        kept.set(keyOf(id, version), count);
        // The current version may have changed since the list was read.
        counted.set(id, count);
      }
    }
    return found.map(({ workflow, version }) => {
      const stepCount = counted.get(workflow.id) ?? kept.get(keyOf(workflow.id, version));
      return stepCount === undefined ? workflow : { ...workflow, stepCount };
    });
  };
}

const keyOf = (id: string, version: number): string => `${id} ${version}`;

/** Limits the active workflows of an environment. */
type Activation = {
  /**
   * Returns why another workflow cannot be activated; undefined if it can. Triggers are JSON texts; `active` are those
   * of the others.
   */
  problemOf(trigger: string, active: readonly string[]): string | undefined;
};

/**
 * A message may be evaluated by every active workflow of its environment. Their number is therefore limited, and so are
 * the units of all their different filters together, to those of one channel's subscriptions
 * (docs/reference/filters.md).
 */
export function createActivation({ filters }: { filters: Pick<Filters, 'measure'> }): Activation {
  const filtersOf = (triggers: readonly string[]): string[] =>
    triggers.flatMap((text) => {
      const { trigger } = planOf(JSON.parse(text), []);
      const isByMessage = trigger.type === 'event' || trigger.type === 'webhook';
      return isByMessage && trigger.filter !== undefined ? [triggerFilter(trigger.filter)] : [];
    });
  const unitsOf = (expression: string): number => {
    const measured = filters.measure(expression);
    return 'problem' in measured ? 0 : measured.units;
  };

  return {
    problemOf(trigger, active) {
      if (active.length >= WORKFLOW_BOUNDS.activeWorkflows)
        return `The environment already has ${WORKFLOW_BOUNDS.activeWorkflows} active workflows, which is the maximum; pause one first`;
      const others = new Set(filtersOf(active));
      const [own] = filtersOf([trigger]);
      if (own === undefined || others.has(own)) return undefined;
      const taken = [...others].reduce((sum, expression) => sum + unitsOf(expression), 0);
      const free = Math.max(UNITS_OF_A_CHANNEL - taken, 0);
      return unitsOf(own) > free
        ? `The filter of the trigger takes up to ${unitsOf(own)} units per message, but the environment has only ${free} left: the filters of its other active workflows take ${taken} of ${UNITS_OF_A_CHANNEL}`
        : undefined;
    },
  };
}
