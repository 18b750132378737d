import { type InboundRequest, toIncoming } from './incoming.ts';
import type { Provider, ProviderSample, SampleValues } from './providers/provider.ts';
import type { WebhookSettings } from './schema.ts';
import { putAt } from './schemes/pointer.ts';

/** A sample before it is signed: the exact text of its body, and its headers with their usual capitalisation. */
type SampleDraft = { body: string; headers: Readonly<Record<string, string>> };

const EVENT_TYPE = 'sample.created';

/** Returns the newest secret that can sign a sample as the sender does; undefined if only the sender can sign. */
export function signingSecretOf({ sign, canSign }: Provider, secrets: readonly string[]): string | undefined {
  if (sign === undefined) return undefined;
  return secrets.find((secret) => canSign?.(secret) ?? true);
}

/** Explains why no sample can be signed. */
export function unsignable({ title, sign }: Provider, secrets: readonly string[]): { field: string; reason: string } {
  if (sign === undefined)
    return {
      field: 'scheme',
      reason: `cannot be signed here because ${title} signs with its own private key`,
    };
  return secrets.length === 0
    ? { field: 'secrets', reason: `cannot sign because the secret that ${title} shows is not set yet` }
    : { field: 'secrets', reason: 'cannot sign because they are public keys and only the sender has the private keys' };
}

/**
 * Creates an event of the sender as JSON or as a form. Puts an id, an event type and an object for the payload where
 * the webhook's own mapping looks for them, unless another value is in the way.
 */
export function sampleDraftOf(provider: Provider, settings: WebhookSettings, values: SampleValues): SampleDraft {
  const sample: ProviderSample = provider.sample?.(values) ?? { body: {} };
  const { eventId, eventType, signature } = settings;
  const headers = {
    'Content-Type': sample.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded',
    ...sample.headers,
    ...(signature?.idHeader !== undefined && { [signature.idHeader]: values.id }),
    ...(eventId?.header !== undefined && { [eventId.header]: values.id }),
    ...(eventType?.header !== undefined && eventTypeHeader(eventType.header, sample.headers)),
  };
  return {
    body: sample.form === undefined ? jsonOf(sample.body, settings, values) : formOf(sample.form, settings, values),
    headers,
  };
}

/** Keeps a header that the service sends anyway; names are compared case-insensitively. */
function eventTypeHeader(name: string, headers: ProviderSample['headers'] = {}): Record<string, string> {
  const isThere = Object.keys(headers).some((each) => each.toLowerCase() === name.toLowerCase());
  return isThere ? {} : { [name]: EVENT_TYPE };
}

function jsonOf(body: object, settings: WebhookSettings, values: SampleValues): string {
  // Copied because the provider may return the same object each time.
  const copy: object = structuredClone(body);
  fit(Array.isArray(copy) ? { events: copy } : copy, settings, values);
  return JSON.stringify(copy, null, 2);
}

function formOf(form: Readonly<Record<string, string>>, settings: WebhookSettings, values: SampleValues): string {
  const fields: Record<string, unknown> = { ...form };
  fit(fields, settings, values);
  const texts = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'string') texts.append(name, value);
  return texts.toString();
}

/** Adds what the webhook's own mapping looks for. */
function fit(content: object, { eventId, eventType, payload }: WebhookSettings, { id, number }: SampleValues): void {
  if (eventId?.pointer !== undefined)
    putAt(content, eventId.pointer, (found) => (typeof found === 'number' ? number : id));
  if (eventType?.pointer !== undefined) putAt(content, eventType.pointer, (found) => found ?? EVENT_TYPE);
  if (payload?.pointer !== undefined) putAt(content, payload.pointer, (found) => found ?? { id });
}

type Signing = Pick<InboundRequest, 'readJson' | 'address'> & {
  webhookId: string;
  secret: string;
  now: Date;
  id: string;
  /** Public address of this service. */
  baseUrl: string;
};

/** Returns the draft as a signed request of the sender. Headers of the signature replace those of the draft. */
export function signedSample(
  provider: Provider,
  draft: SampleDraft,
  { webhookId, secret, now, id, baseUrl, ...from }: Signing,
): InboundRequest {
  const target = `/v1/webhooks/${webhookId}`;
  const headers = new Map(Object.entries(draft.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const header = (name: string): readonly string[] => {
    const value = headers.get(name);
    return value === undefined ? [] : [value];
  };
  const request = { ...from, target, header, bytes: Buffer.from(draft.body) };
  const incoming = toIncoming(request, { baseUrl, jsonField: provider.jsonField });
  const signed = provider.sign?.(incoming, { secret, now, id }) ?? {};
  for (const [name, value] of Object.entries(signed.headers ?? {})) headers.set(name, value);
  return {
    ...request,
    target: `${target}${signed.query ?? ''}`,
    bytes: signed.body === undefined ? request.bytes : Buffer.from(signed.body),
  };
}
