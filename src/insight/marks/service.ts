import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { invalidField, notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { CreateMark, ListMarks, Mark } from './schema.ts';
import * as store from './store.ts';

/** Longer than any retention: an older mark has nothing to compare. */
const OLDEST_MS = 366 * 86_400_000;
/** Clocks of machines that deploy may be so far ahead. */
const AHEAD_MS = 300_000;
/** Twenty deployments a day for seven weeks. */
const MOST = 1_000;

export type Marks = {
  /** An environment keeps its latest 1,000. */
  create(caller: EnvironmentCaller, body: CreateMark): Promise<Mark>;
  /** The latest time first. */
  list(caller: EnvironmentCaller, query: ListMarks): Promise<Page<Mark>>;
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
};

export function createMarks(
  { tenants, newId, clock }: Pick<Dependencies, 'tenants' | 'newId' | 'clock'>,
  { audit }: { audit: { record: RecordAudit } },
): Marks {
  return {
    create: (caller, { name, at: given }) =>
      tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const createdAt = clock();
        const at = given ?? createdAt;
        if (at.getTime() < createdAt.getTime() - OLDEST_MS) throw invalidField('at', 'must be at most 366 days ago');
        if (at.getTime() > createdAt.getTime() + AHEAD_MS) throw invalidField('at', 'must not be in the future');
        // The id carries the marked time, so that ids sort by it.
        const draft = { id: newId('mark', at), environmentId, name, at, madeBy: caller.principal.id, createdAt };
        const mark = await store.insertMark(transaction, draft);
        await store.keepNewest(transaction, environmentId, MOST);
        const after = { name, at };
        await audit.record(transaction, caller, { action: 'mark.created', target: { id: mark.id }, after });
        return mark;
      }),

    async list(caller, { since, until, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'marks', environmentId, filters: windowText({ since, until }) };
      const page = pageRequest(scope, query);
      const which = { environmentId, ids: idsWithin('mark', { since, until }) };
      const rows = await tenants.list(caller, (transaction) => store.findMarks(transaction, which, page));
      return toPage(scope, page.limit, rows, (mark) => mark);
    },

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const mark = isId('mark', id) ? await store.findMark(transaction, environmentId, id) : undefined;
        if (mark === undefined) throw notFound('mark');
        await store.deleteMark(transaction, environmentId, id);
        const before = { name: mark.name, at: mark.at };
        await audit.record(transaction, caller, { action: 'mark.deleted', target: { id }, before });
      }),
  };
}
