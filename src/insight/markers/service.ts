import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { invalidField, notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { CreateMarker, ListMarkers, Marker } from './schema.ts';
import * as store from './store.ts';

/** Longer than any retention, so an older marker has nothing to compare with. */
const OLDEST_MS = 366 * 86_400_000;
/** Tolerated clock difference of machines that deploy. */
const AHEAD_MS = 300_000;
/** Enough for twenty deployments a day over seven weeks. */
const MOST = 1_000;

export type Markers = {
  /** An environment keeps its latest 1,000 markers. */
  create(caller: EnvironmentCaller, body: CreateMarker): Promise<Marker>;
  /** Returns markers, latest first. */
  list(caller: EnvironmentCaller, query: ListMarkers): Promise<Page<Marker>>;
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
};

export function createMarkers(
  { tenants, newId, clock }: Pick<Dependencies, 'tenants' | 'newId' | 'clock'>,
  { audit }: { audit: { record: RecordAudit } },
): Markers {
  return {
    create: (caller, { name, at: given }) =>
      tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const createdAt = clock();
        const at = given ?? createdAt;
        if (at.getTime() < createdAt.getTime() - OLDEST_MS) throw invalidField('at', 'must be at most 366 days ago');
        if (at.getTime() > createdAt.getTime() + AHEAD_MS) throw invalidField('at', 'must not be in the future');
        // The id contains the marked time, so that ids sort by it.
        const draft = { id: newId('marker', at), environmentId, name, at, madeBy: caller.principal.id, createdAt };
        const marker = await store.insertMarker(transaction, draft);
        await store.keepNewest(transaction, environmentId, MOST);
        const after = { name, at };
        await audit.record(transaction, caller, { action: 'marker.created', target: { id: marker.id }, after });
        return marker;
      }),

    async list(caller, { since, until, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'markers', environmentId, filters: windowText({ since, until }) };
      const page = pageRequest(scope, query);
      const which = { environmentId, ids: idsWithin('marker', { since, until }) };
      const rows = await tenants.list(caller, (transaction) => store.findMarkers(transaction, which, page));
      return toPage(scope, page.limit, rows, (marker) => marker);
    },

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const marker = isId('marker', id) ? await store.findMarker(transaction, environmentId, id) : undefined;
        if (marker === undefined) throw notFound('marker');
        await store.deleteMarker(transaction, environmentId, id);
        const before = { name: marker.name, at: marker.at };
        await audit.record(transaction, caller, { action: 'marker.deleted', target: { id }, before });
      }),
  };
}
