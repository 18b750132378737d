import { wakeForRuns } from '../../platform/db/waking.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { type ExactJson, memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';
import { fieldPath } from '../../kernel/values/text.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import { newBudget, type Schemas } from '../../messaging/schemas/schemas.ts';
import type { Approval, Decide, Decision, ListApprovals } from './schema.ts';
import * as store from './store.ts';

export type Approvals = {
  /** Returns approvals, newest first. A filter that matches nothing returns an empty list. */
  list(caller: EnvironmentCaller, query: ListApprovals): Promise<Page<Approval>>;
  get(caller: EnvironmentCaller, id: string): Promise<Approval>;
  /**
   * Decides for a waiting step, and its run continues. Throws FORBIDDEN if the caller is not an approver;
   * INVALID_REQUEST if the data does not match the schema, or if several steps ask and none is named; CONFLICT, with
   * the first decision, if it is already decided. `bodyText` is used to keep data digit for digit.
   */
  decide(
    caller: EnvironmentCaller,
    runId: string,
    how: Decide & { decision: Decision; bodyText: string },
  ): Promise<Approval>;
};

type Collaborators = { audit: { record: RecordAudit }; schemas: Pick<Schemas, 'check'> };

export function createApprovals(
  { tenants, pool }: Pick<Dependencies, 'tenants' | 'pool'>,
  { audit, schemas }: Collaborators,
): Approvals {
  const get = async (caller: EnvironmentCaller, id: string): Promise<Approval> => {
    const found = isId('approval', id)
      ? await tenants.read(caller, (reader) => store.findApproval(reader, caller.environmentId, id))
      : undefined;
    if (found === undefined) throw notFound('approval');
    return found;
  };

  const requireApprover = async (caller: EnvironmentCaller, { approvers }: Approval): Promise<void> => {
    const { principal } = caller;
    if (approvers.length === 0 || approvers.includes(principal.id)) return;
    const email =
      principal.kind === 'person'
        ? await tenants.within(caller, (reader) => store.emailOf(reader, principal.id))
        : undefined;
    if (email !== undefined && approvers.some((each) => each.toLowerCase() === email.toLowerCase())) return;
    throw new ApiError('FORBIDDEN', 'You are not one of the `approvers` of this decision');
  };

  /** Returns the text of `data`. Throws INVALID_REQUEST if it does not match the schema. A rejection may omit it. */
  const dataIn = async (
    { environmentId }: EnvironmentCaller,
    { form }: Approval,
    { decision, data, bodyText }: Parameters<Approvals['decide']>[2],
  ): Promise<string | undefined> => {
    const span = bodyText === '' ? undefined : memberSpan(bodyText, wholeSpan(bodyText), 'data');
    const text = span && data !== undefined ? bodyText.slice(span.start, span.end) : undefined;
    if (form === undefined || (decision === 'rejected' && text === undefined)) return text;
    const payload = { key: environmentId, payload: data ?? {}, text: text ?? '{}' };
    // `as`: created by the store.
    const misfit = await schemas.check((form as ExactJson).text, payload, newBudget());
    if (misfit !== undefined) throw invalidField(fieldPath(['data', ...misfit.place]), misfit.reason);
    return text;
  };

  return {
    get,

    async list(caller, query) {
      const { environmentId } = caller;
      const { cursor: _, limit, ...filter } = query;
      const scope: ListScope = { list: 'approvals', environmentId, filters: filter };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, (transaction) =>
        store.findApprovals(transaction, { environmentId, ...filter }, page),
      );
      return toPage(scope, limit, rows, (approval) => approval);
    },

    async decide(caller, runId, how) {
      const { environmentId, principal } = caller;
      const { decision, comment } = how;
      const asked = isId('run', runId)
        ? await tenants.within(caller, (reader) => store.findOfRun(reader, environmentId, runId))
        : undefined;
      if (asked === undefined) throw notFound('run');
      const { open, last } = meant(asked, how);
      if (open === undefined && last === undefined)
        throw new ApiError('CONFLICT', 'No step of this run is waiting for a decision');
      const approval = await get(caller, (open ?? last)?.id ?? '');
      if (open === undefined) throw decided(approval);
      await requireApprover(caller, approval);
      const data = await dataIn(caller, approval, how);
      const { id } = approval;
      const isDecided = await tenants.onConnection(caller, async (connection) => {
        const made = { id, environmentId, decision, by: principal.id, comment, data };
        if (!(await store.decide(connection, made))) return false;
        await audit.record(connection, caller, { action: `approval.${decision}`, target: { id } });
        return true;
      });
      if (!isDecided) throw decided(await get(caller, id));
      await wakeForRuns(pool);
      return get(caller, id);
    },
  };
}

/** Returns the open approval of a run that the caller means; if there is none, the last one that is no longer open. */
function meant(
  asked: readonly store.QuestionOfRun[],
  { stepId, iteration }: Decide,
): { open: store.QuestionOfRun | undefined; last: store.QuestionOfRun | undefined } {
  const fitting = asked.filter(
    (each) =>
      (stepId === undefined || each.stepId === stepId) && (iteration === undefined || each.iteration === iteration),
  );
  const [open, another] = fitting.filter(({ status }) => status === 'open');
  if (another !== undefined && open !== undefined) {
    const field = open.stepId === another.stepId ? 'iteration' : 'stepId';
    throw invalidField(field, `is required: ${open.stepId} and others are waiting for a decision`);
  }
  return { open, last: fitting[0] };
}

function decided({ stepId, status, decidedBy, decidedAt }: Approval): ApiError {
  const by = decidedBy === undefined ? '' : ` by ${decidedBy} at ${decidedAt?.toISOString()}`;
  return new ApiError('CONFLICT', `The approval of ${stepId} is ${status}${by}`);
}
