import type { TestPosthorn } from '../service/posthorn.ts';
import { idOf, namePart, oneOf } from './list-filters.ts';
import { make } from './seed.ts';

/** The lists of inbound webhooks, as seeded-lists.ts has them. */
export const INBOUND_LISTS = [
  {
    name: 'webhooks' as const,
    rows: 'SELECT position, id FROM inbound_webhooks WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {
      status: oneOf('status', ['active', 'disabled']),
      channelId: idOf('channelId'),
      name: namePart('Active', 'able'),
    },
  },
  {
    name: 'refusals' as const,
    rows: 'SELECT id FROM inbound_refusals WHERE environment_id = $1 AND inbound_webhook_id = $2',
    filters: { reason: oneOf('reason', ['signature_missing', 'signature_malformed']) },
  },
  {
    name: 'requests' as const,
    // The part of an id after its prefix: refused and other requests have ids of two kinds.
    rows: `SELECT substr(id, 4) AS position, id FROM inbound_refusals WHERE environment_id = $1 AND inbound_webhook_id = $2
      UNION ALL SELECT substr(id, 4), id FROM inbound_receipts WHERE environment_id = $1 AND inbound_webhook_id = $2`,
    filters: { outcome: oneOf('outcome', ['received', 'repeated', 'refused']) },
    hasTimes: 'receivedAt',
  },
];

/** A deleted message: it does not matter here what a request became. */
const MESSAGE = 'msg_01k9f2xw6q7v8r3t5y4n0m1c2b';

/**
 * Creates inbound webhooks of two channels in every state, and requests that the first one has accepted and refused in turn. Returns
 * the addresses of its lists.
 */
export async function seedWebhooks(
  posthorn: TestPosthorn,
  key: string,
  channelIds: readonly string[],
): Promise<{ webhooks: string; refusals: string; requests: string }> {
  const { db, newId } = posthorn.deps;
  const made: string[] = [];
  for (const status of ['active', 'disabled', 'active'])
    for (const channelId of channelIds)
      made.push(
        (await make(posthorn, key, '/v1/webhooks', { name: status, channelId, status, provider: 'github' })).id,
      );
  const [webhookId = ''] = made;
  const { environmentId } = await db.inboundWebhook.findUniqueOrThrow({ where: { id: webhookId } });
  const first = `/v1/webhooks/${webhookId}`;
  for (const signature of [undefined, 'odd', undefined, 'odd', undefined]) {
    const headers = signature === undefined ? {} : { 'x-hub-signature-256': signature };
    await posthorn.request('POST', first, {}, { key: null, headers });
    const expiresAt = new Date(Date.now() + 86_400_000);
    const taken = { environmentId, webhookId, messageId: MESSAGE, isSample: false, expiresAt };
    const data = { ...taken, id: newId('inboundReceipt'), isRepeated: signature === undefined };
    await db.inboundReceipt.create({ data });
  }
  return { webhooks: '/v1/webhooks', refusals: `${first}/refusals`, requests: `${first}/requests` };
}
