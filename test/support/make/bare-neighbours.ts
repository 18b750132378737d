import type { Asking } from '../../../src/automations/connections/store.ts';
import type { ResourceIds } from '../check/contract-row.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { insertOrganisation } from './organisation.ts';
import { seedResources } from './seed.ts';

/**
 * Creates an environment with one resource of each kind, and neighbours with none: quick, for tests in which no neighbour sends
 * requests.
 */
export async function makeBareNeighbours(posthorn: TestPosthorn): Promise<{
  ids: ResourceIds;
  victim: Asking;
  /** The other environment of its app. */
  sibling: Asking;
  /** The sibling, an environment of another app, and one of another organisation. */
  neighbours: readonly Asking[];
}> {
  const { db } = posthorn.deps;
  const ids = await seedResources(posthorn, posthorn.keys.live);
  const { appId, organisationId } = ids;
  const { environmentId } = await db.workflow.findUniqueOrThrow({ where: { id: ids.workflowId } });
  const other = await db.environment.findFirstOrThrow({ where: { appId, id: { not: environmentId } } });
  const sibling: Asking = { environmentId: other.id, environment: 'test' };
  const app = await posthorn.services.apps.operator.create({ name: 'other' }, organisationId);
  const ofApp = await db.environment.findFirstOrThrow({ where: { appId: app.id, kind: 'live' } });
  const { live } = await insertOrganisation(posthorn.deps);
  const further = [ofApp.id, live].map((id): Asking => ({ environmentId: id, environment: 'live' }));
  return { ids, victim: { environmentId, environment: 'live' }, sibling, neighbours: [sibling, ...further] };
}
