import type { TestPosthorn } from '../service/posthorn.ts';
import { namePart, signatureStatus } from './list-filters.ts';

/** The lists of inspectors, as seeded-lists.ts has them. */
export const INSPECTOR_LISTS = [
  {
    name: 'inspectors' as const,
    rows: 'SELECT position, id FROM inspectors WHERE environment_id = $1 AND $2::text IS NULL',
    filters: { name: namePart('INSPECTOR', '3') },
  },
  {
    name: 'inspected-requests' as const,
    rows: 'SELECT id FROM inspected_requests WHERE environment_id = $1 AND inspector_id = $2',
    filters: { signatureStatus },
  },
];

type Make = (path: string, body: Record<string, unknown>) => Promise<{ id: string }>;

/** Sends a request with that body to an inspector. */
async function sendToInspector(
  { url }: Pick<TestPosthorn, 'url'>,
  id: string,
  { body, headers = {} }: { body: string; headers?: Record<string, string> },
): Promise<void> {
  const { status } = await fetch(`${url}/inspect/${id}`, { method: 'POST', body, headers });
  if (status !== 200) throw new Error(`The inspector ${id} answered ${status}`);
}

/** Creates an inspector that has received two requests, so that its list has a second page. */
export async function seedInspector(
  posthorn: TestPosthorn,
  make: Make,
  { name, channelId }: { name: string; channelId: string },
): Promise<{ inspectorId: string; inspectedRequestId: string }> {
  const { db } = posthorn.deps;
  // An environment has at most twenty. Deletes those of earlier tests when there are many.
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  if ((await db.inspector.count({ where: { environmentId } })) > 15)
    await db.inspector.deleteMany({ where: { environmentId } });
  const { id: inspectorId } = await make('/v1/inspectors', { name });
  for (const _ of [1, 2]) await sendToInspector(posthorn, inspectorId, { body: name });
  const { id: inspectedRequestId } = await db.inspectedRequest.findFirstOrThrow({ where: { inspectorId } });
  return { inspectorId, inspectedRequestId };
}

/** Creates five inspectors, and five requests to the first one, some with an invalid signature. Returns the address of these. */
export async function seedInspectors(posthorn: TestPosthorn, make: Make): Promise<string> {
  const ids: string[] = [];
  for (const n of [1, 2, 3, 4, 5]) ids.push((await make('/v1/inspectors', { name: `inspector ${n}` })).id);
  const [first = ''] = ids;
  for (const n of [1, 2, 3, 4, 5]) {
    const headers: Record<string, string> = n % 2 === 0 ? { 'webhook-signature': 'v1,odd' } : {};
    await sendToInspector(posthorn, first, { body: `request ${n}`, headers });
  }
  return `/v1/inspectors/${first}/requests`;
}
