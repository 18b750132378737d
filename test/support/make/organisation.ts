import { ensureSystemChannels } from '../../../src/messaging/channels/store.ts';
import type { Dependencies } from '../../../src/platform/dependencies.ts';

/** Creates one organisation with one app and its two environments, as the first start does. Returns the environments' ids. */
export async function insertOrganisation({
  db,
  newId,
}: Pick<Dependencies, 'db' | 'newId'>): Promise<{ live: string; test: string }> {
  const [organisationId, appId, live, test] = [
    newId('organisation'),
    newId('app'),
    newId('environment'),
    newId('environment'),
  ];
  await db.organisation.create({ data: { id: organisationId, name: 'Test' } });
  await db.app.create({ data: { id: appId, organisationId, name: 'Test', slug: 'test' } });
  await db.environment.createMany({
    data: [
      { id: live, appId, kind: 'live' },
      { id: test, appId, kind: 'test' },
    ],
  });
  await ensureSystemChannels(db);
  return { live, test };
}
