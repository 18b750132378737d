import type { TestPosthorn } from '../service/posthorn.ts';

/**
 * Inserts a request whose signature was valid and whose mapping failed once, before the id of its event was read: its body is stored,
 * and it can be accepted.
 */
export async function seedRefusedRequest(
  { deps: { db, newId } }: TestPosthorn,
  webhookId: string,
  mark = 'kept',
): Promise<string> {
  const { environmentId } = await db.inboundWebhook.findUniqueOrThrow({ where: { id: webhookId } });
  const body = Buffer.from(JSON.stringify({ mark }));
  const eventId = `seeded-${mark}`;
  const head = {
    target: `/v1/webhooks/${webhookId}`,
    headers: [['x-github-delivery', eventId]],
    proven: {},
  };
  const refusedAt = new Date();
  const { id } = await db.inboundRefusal.create({
    data: {
      id: newId('inboundRefusal'),
      environmentId,
      webhookId,
      reason: 'mapping_failed',
      detail: "eventType: was not found where the webhook's mapping looks for it",
      address: '192.0.2.1',
      bytes: body.length,
      keptBytes: body.length,
      body,
      head: JSON.stringify(head),
      refusedAt,
      expiresAt: new Date(refusedAt.getTime() + 604_800_000),
    },
  });
  return id;
}
