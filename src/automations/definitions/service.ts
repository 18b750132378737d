import type { DatabaseReader, DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { RecordAudit } from '../../identity/audit/record.ts';
import type { EnvironmentCaller } from '../../identity/caller.ts';
import { ApiError, type ErrorDetails, invalidField, invalidFields, notFound } from '../../kernel/api-error.ts';
import { changedParts } from '../../kernel/changed-parts.ts';
import { isId } from '../../kernel/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/page.ts';
import type { WorkflowStatus } from '../../kernel/statuses.ts';
import type { Schemas } from '../../schemas/schemas.ts';
import type { Activation } from './activation.ts';
import { announceListening, announceTriggers } from './announce.ts';
import type { Checks } from './checks.ts';
import { formProblems } from './forms.ts';
import { listeningIn } from './listens.ts';
import { missingIn, problemsOf } from './problems.ts';
import { channelProblems, webhookProblems } from './references.ts';
import { triggerTypeOf } from './trigger-type.ts';
import { connectionProblems } from './connection-references.ts';
import { findConnectors, findSecretNames, findSteps, findWebhookIds } from './reference-store.ts';
import { type FindSteps, workflowProblems } from './workflow-references.ts';
import { secretProblems } from './secret-references.ts';
import {
  type CreateWorkflow,
  type ListWorkflows,
  type UpdateWorkflow,
  type ValidateWorkflow,
  type Validation,
  type Workflow,
  workflowChange,
} from './schema.ts';
import * as store from './store.ts';
import { type Given, parsed, refuseTooLong, sizeProblem, textsIn } from './written-texts.ts';

/** One version of a workflow. Trigger and steps are the author's JSON texts. */
export type Definition = { name: string; status: WorkflowStatus; version: number } & store.DefinitionTexts;

export type Workflows = {
  /** `bodyText`: trigger and steps are kept as their author wrote them. */
  create(caller: EnvironmentCaller, body: CreateWorkflow, bodyText: string): Promise<Workflow>;
  list(caller: EnvironmentCaller, query: ListWorkflows): Promise<Page<Workflow>>;
  get(caller: EnvironmentCaller, id: string): Promise<Workflow>;
  /** Its present version, as other services read it. */
  definitionOf(caller: EnvironmentCaller, id: string): Promise<Definition>;
  /** New runs take the new definition at once; those that have begun keep theirs. */
  update(caller: EnvironmentCaller, id: string, body: UpdateWorkflow, bodyText: string): Promise<Workflow>;
  /** Soft: its runs stay readable, and those under way go on. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /** CONFLICT, with all `errors`, while something is missing. Doing it again changes nothing. */
  activate(caller: EnvironmentCaller, id: string): Promise<Workflow>;
  /** No further run begins; those under way go on. CONFLICT for a draft. */
  pause(caller: EnvironmentCaller, id: string): Promise<Workflow>;
  /** Tells everything that speaks against such a workflow, and stores nothing. */
  validate(caller: EnvironmentCaller, body: ValidateWorkflow, bodyText: string): Promise<Validation>;
};

/** Things that a definition may name. Each leaves those of the given that the environment has. */
type Known = {
  channels: Find;
  webhooks: Find;
  secrets: Find;
  connectors: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  steps: FindSteps;
};
type Find = (given: readonly string[]) => Promise<ReadonlySet<string>>;
type Collaborators = {
  checks: Checks;
  activation: Activation;
  schemas: Pick<Schemas, 'problemOf'>;
  audit: { record: RecordAudit };
};

export function createWorkflows(
  { tenants, newId, clock }: Pick<Dependencies, 'tenants' | 'newId' | 'clock'>,
  { checks, activation, schemas, audit }: Collaborators,
): Workflows {
  /** An id that cannot be one never reaches the database, whatever characters it holds. */
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
  const lock = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.lockWorkflow(transaction, environmentId, id));

  /** All that is wrong with what is given. `own`: the id of the workflow, where it has one. */
  const problemsIn = async (
    given: Given,
    { environmentId, known, own }: { environmentId: string; known: Known; own?: string | undefined },
  ): Promise<ErrorDetails[]> => {
    const { problems, hasForm } = problemsOf(given, checks);
    if (!hasForm) return problems;
    const named = [
      ...(await channelProblems(given, known.channels)),
      ...(await webhookProblems(given, known.webhooks)),
      ...(await secretProblems(given, known.secrets)),
      ...(await connectionProblems(given, known.connectors)),
      ...(await workflowProblems(given, known.steps, own)),
      ...(await formProblems(given.steps, environmentId, schemas)),
    ];
    // A field that is wrong by itself names nothing.
    const isTold = new Set(problems.map(({ field }) => field));
    return [...problems, ...named.filter(({ field }) => !isTold.has(field))].slice(0, MOST_ERRORS);
  };
  const requireGood = async (
    transaction: DatabaseTransaction,
    { environmentId }: EnvironmentCaller,
    given: Given,
    own?: string,
  ): Promise<void> => {
    const known = knownTo((look) => look(transaction), environmentId);
    const [first, ...others] = await problemsIn(given, { environmentId, known, own });
    if (first !== undefined) throw invalidFields([first, ...others]);
  };

  /** CONFLICT, with all of it, for a workflow that lacks something; and where the environment has no place for another active one. */
  const requireComplete = async (
    transaction: DatabaseTransaction,
    caller: EnvironmentCaller,
    { id, texts }: { id: string; texts: store.DefinitionTexts },
  ): Promise<void> => {
    const [first, ...others] = missingIn(parsed(texts));
    if (first !== undefined) throw invalidFields([first, ...others], 'CONFLICT');
    const active = await store.lockActiveTriggers(transaction, caller.environmentId, id);
    const problem = activation.problemOf(String(texts.trigger), active);
    if (problem !== undefined) throw new ApiError('CONFLICT', problem);
  };

  const setStatus = (caller: EnvironmentCaller, id: string, status: 'active' | 'paused'): Promise<Workflow> =>
    tenants.within(caller, async (transaction) => {
      const stored = await lock(transaction, caller, id);
      const { workflow, texts } = stored;
      if (workflow.status === status) return workflow;
      if (status === 'active') await requireComplete(transaction, caller, { id, texts });
      else if (workflow.status === 'draft')
        throw new ApiError('CONFLICT', 'The workflow is a draft: it was never active');
      await store.updateWorkflow(transaction, caller.environmentId, stored, { status, now: clock() });
      await announceTriggers(transaction, { environmentId: caller.environmentId, workflowId: id }, texts.trigger);
      const action = status === 'active' ? 'workflow.activated' : 'workflow.paused';
      await audit.record(transaction, caller, { action, target: { id } });
      return (await found(id, () => store.findWorkflow(transaction, caller.environmentId, id))).workflow;
    });

  return {
    create: (caller, body, bodyText) =>
      tenants.within(caller, async (transaction) => {
        const texts = textsIn(bodyText);
        refuseTooLong(texts);
        await requireGood(transaction, caller, body);
        const { environmentId } = caller;
        const { name, description, status } = body;
        const id = newId('workflow');
        if (status === 'active') await requireComplete(transaction, caller, { id, texts });
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
          now: clock(),
        });
        await announceListening(transaction, environmentId, listens);
        if (status === 'active') await announceTriggers(transaction, { environmentId, workflowId: id }, texts.trigger);
        await audit.record(transaction, caller, { action: 'workflow.created', target: { id }, after: body });
        return workflow;
      }),

    async list(caller, { status, ...query }) {
      const { environmentId } = caller;
      const filter = status === undefined ? {} : { status };
      const scope: ListScope = { list: 'workflows', environmentId, filters: filter };
      const page = pageRequest(scope, query);
      const rows = await tenants.read(caller, (reader) => store.findWorkflows(reader, environmentId, page, filter));
      return toPage(scope, page.limit, rows, (workflow) => workflow);
    },

    get: async (caller, id) => (await read(caller, id)).workflow,

    async definitionOf(caller, id) {
      const { workflow, version, texts } = await read(caller, id);
      return { name: workflow.name, status: workflow.status, version, ...texts };
    },

    update: (caller, id, body, bodyText) =>
      tenants.within(caller, async (transaction) => {
        const stored = await lock(transaction, caller, id);
        const { workflow, texts: before } = stored;
        const given = textsIn(bodyText);
        // Both are compared as their texts: what their author wrote is what stands there.
        const { trigger: _, steps: __, ...change } = workflowChange.of(workflow, body);
        const texts = { ...before, ...given };
        const isOther = texts.trigger !== before.trigger || texts.steps !== before.steps;
        if (!isOther && Object.keys(change).length === 0) return workflow;
        if (isOther) {
          refuseTooLong(texts);
          await requireGood(transaction, caller, parsed(texts), id);
        }
        const status = change.status ?? workflow.status;
        if (change.status === 'paused' && workflow.status === 'draft')
          throw invalidField('status', 'cannot be paused: the workflow is a draft and was never active');
        if (status === 'active' && (isOther || workflow.status !== 'active'))
          await requireComplete(transaction, caller, { id, texts });
        const listens = isOther ? listeningIn(texts) : undefined;
        await store.updateWorkflow(transaction, caller.environmentId, stored, {
          ...change,
          ...(isOther && { definition: { texts, listens, triggerType: triggerTypeOf(texts.trigger) } }),
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
      }),

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
      const { environmentId } = caller;
      const known = knownTo((look) => tenants.read(caller, look), environmentId);
      const size = sizeProblem(textsIn(bodyText));
      const problems = await problemsIn(body, { environmentId, known });
      const errors = [...(size === undefined ? [] : [size]), ...problems, ...missingIn(body)].slice(0, MOST_ERRORS);
      return { valid: errors.length === 0, errors };
    },
  };
}

/** `read` makes one look, within a transaction or by itself. */
const knownTo = (
  read: <T>(look: (reader: DatabaseReader) => Promise<T>) => Promise<T>,
  environmentId: string,
): Known => ({
  channels: (ids) => read((reader) => store.findChannelIds(reader, environmentId, ids)),
  webhooks: (ids) => read((reader) => findWebhookIds(reader, environmentId, ids)),
  secrets: (names) => read((reader) => findSecretNames(reader, environmentId, names)),
  connectors: (ids) => read((reader) => findConnectors(reader, environmentId, ids)),
  steps: (ids) => read((reader) => findSteps(reader, environmentId, ids)),
});

const MOST_ERRORS = 20;
