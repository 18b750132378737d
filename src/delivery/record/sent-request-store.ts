import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Attempt as AttemptRow } from '../../platform/db/generated/client.ts';
import type { TraceContext } from '../../kernel/values/trace-context.ts';
import type { SentRequest } from './schema.ts';
import { timestampOf, webhookHeaders } from './webhook-headers.ts';

/** In the place of a secret, or of something that nobody has kept. */
const MASK = '***';

type Form = { version: number; url: string; headers: Record<string, string> | null };
type Message = { id: string; hops: number } & TraceContext;

/**
 * The requests of attempts of one delivery, by the attempt's id. Headers of the message and of the time follow from the record: nobody
 * writes them for each attempt. The key that signed may be gone since, so the signature is masked, and so is the parent-id of a trace.
 * An attempt has no request where its form is unknown.
 */
export async function findSentRequests(
  db: DatabaseTransaction,
  deliveryId: string,
  attempts: readonly AttemptRow[],
): Promise<Map<string, SentRequest>> {
  const versions = [...new Set(attempts.flatMap(({ requestVersion }) => requestVersion ?? []))];
  if (versions.length === 0) return new Map();
  const [message] = await db.$queryRaw<Message[]>`
    SELECT m.id, coalesce(m.hops, 0) AS hops, m.traceparent, m.tracestate
    FROM deliveries d JOIN messages m ON m.id = d.message_id WHERE d.id = ${deliveryId}`;
  const forms = await db.$queryRaw<Form[]>`
    SELECT v.version, v.url, v.headers FROM deliveries d JOIN request_versions v ON v.subscription_id = d.subscription_id
    WHERE d.id = ${deliveryId} AND v.version = ANY (${versions}::int[])`;
  if (message === undefined) return new Map();
  const formOf = new Map(forms.map((form) => [form.version, form]));
  return new Map(
    attempts.flatMap(({ id, requestVersion, startedAt }) => {
      const form = requestVersion === null ? undefined : formOf.get(requestVersion);
      return form === undefined ? [] : [[id, toSentRequest(form, message, startedAt)]];
    }),
  );
}

function toSentRequest(form: Form, message: Message, startedAt: Date): SentRequest {
  const { id, hops, traceparent, tracestate } = message;
  return {
    version: form.version,
    method: 'POST',
    url: form.url,
    headers: webhookHeaders(
      { id, hops, trace: { traceparent, tracestate } },
      { custom: form.headers, timestamp: timestampOf(startedAt), signature: MASK, newParentId: () => MASK },
    ),
  };
}
