import { memberText } from './raw-json.ts';

/** The request, as far as the receiver's log or debugger shows it. */
export type Seen = { id?: string; timestamp?: string; signatures: readonly string[] };

/** A problem with the request that the receiver got, or the finding that there is none. */
export type SignatureFault =
  | { kind: 'missing'; header: string }
  | { kind: 'clock'; seconds: number }
  | { kind: 'good' }
  | { kind: 'good_by_older' }
  | { kind: 'other_secret' }
  | { kind: 'body_changed'; at: number; sent: string; seen: string }
  | { kind: 'unexplained' };

/** Seconds by which the two clocks may differ under Standard Webhooks. */
const TOLERANCE_S = 300;
/** Characters to show around the first byte that differs. */
const AROUND = 16;

const valueOf = (name: string, value: string, text: string): string | undefined =>
  new RegExp(`${name}["']?\\s*[:=]\\s*\\[?\\s*["']?(${value})`, 'i').exec(text)?.[1];

/** Extracts the three headers from any text that contains them: a raw request, a log line, JSON. */
export function readHeaders(text: string): Seen {
  const id = valueOf('webhook-id', '[\\w.-]+', text);
  const timestamp = valueOf('webhook-timestamp', '\\d+', text);
  const signatures = valueOf('webhook-signature', 'v1a?,[A-Za-z0-9+/=]+(?: v1a?,[A-Za-z0-9+/=]+)*', text);
  return {
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    signatures: signatures?.split(' ') ?? [],
  };
}

/**
 * Returns the body of every request for a message, built from the text of its resource: payload and metadata as they
 * are stored (docs/guides/receive.md).
 */
export function bodyOf(message: string): string {
  const parts = (
    [
      ['id', 'id'],
      ['type', 'eventType'],
      ['timestamp', 'publishedAt'],
      ['channelId', 'channelId'],
      ['data', 'payload'],
      ['metadata', 'metadata'],
    ] as const
  ).flatMap(([name, from]) => {
    const text = memberText(message, from);
    return text === undefined ? [] : [`"${name}":${text}`];
  });
  return `{${parts.join(',')}}`;
}

/**
 * Whether this browser can sign. Web Crypto is not available on pages served over plain http, except on `localhost`.
 */
export const canSign = (): boolean => 'subtle' in crypto;

/** Returns the signature `v1,…` by a secret `whsec_…` (Standard Webhooks). Throws if the secret is not valid. */
export async function signatureOf(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`;
}

type Case = {
  seen: Seen;
  /** The body as the receiver got it. Empty if not known. */
  body: string;
  /** The body as it was sent. */
  sent: string;
  /** The secret of the subscription. */
  secret: string;
  /** The secret that the receiver verifies with. Absent if not known. */
  theirs?: string | undefined;
  /** The receiver's clock when the request arrived. Absent if not known. */
  clock?: Date | undefined;
};

/** Returns why a receiver rejects a signature, the most fundamental problems first. */
export async function examineSignature({ seen, body, sent, secret, theirs, clock }: Case): Promise<SignatureFault[]> {
  const { id, timestamp, signatures } = seen;
  const missing = [
    ...(id === undefined ? ['webhook-id'] : []),
    ...(timestamp === undefined ? ['webhook-timestamp'] : []),
    ...(signatures.length === 0 ? ['webhook-signature'] : []),
  ].map((header): SignatureFault => ({ kind: 'missing', header }));
  if (id === undefined || timestamp === undefined || missing.length > 0) return missing;
  const isSigned = async (by: string, text: string): Promise<boolean> => {
    try {
      return signatures.includes(await signatureOf(by, { id, timestamp, body: text }));
    } catch {
      return false;
    }
  };
  const findings: SignatureFault[] = [];
  const seconds = clock === undefined ? 0 : Math.round(clock.getTime() / 1_000) - Number(timestamp);
  if (Math.abs(seconds) > TOLERANCE_S) findings.push({ kind: 'clock', seconds });
  const isOurs = await isSigned(secret, sent);
  const changed = body === '' || body === sent ? undefined : firstDifference(sent, body);
  if (theirs !== undefined && theirs !== secret) {
    const isOlder = await isSigned(theirs, sent);
    findings.push({ kind: isOlder ? 'good_by_older' : 'other_secret' });
  }
  if (isOurs && changed !== undefined) findings.push({ kind: 'body_changed', ...changed });
  if (!isOurs && (await isSigned(secret, body))) findings.push({ kind: 'good' });
  else if (!isOurs && findings.length === 0) findings.push({ kind: 'unexplained' });
  return findings.length === 0 ? [{ kind: 'good' }] : findings;
}

/** Returns the first byte (UTF-8, from 0) at which the texts differ, with the text around it. */
function firstDifference(sent: string, seen: string): { at: number; sent: string; seen: string } {
  let at = 0;
  while (at < sent.length && sent[at] === seen[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - AROUND), at + AROUND);
  return { at: new TextEncoder().encode(sent.slice(0, at)).length, sent: around(sent), seen: around(seen) };
}

/** Returns the shell command that sends a request again with a new signature. */
export async function signedCurl({
  url,
  secret,
  id,
  body,
  now,
}: {
  url: string;
  secret: string;
  id: string;
  body: string;
  now: Date;
}): Promise<string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const headers = [
    'content-type: application/json',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: ${await signatureOf(secret, { id, timestamp, body })}`,
  ];
  return [
    `curl -sS -X POST ${quoted(url)}`,
    ...headers.map((header) => `  -H ${quoted(header)}`),
    `  --data-binary ${quoted(body)}`,
  ].join(' \\\n');
}

/** Quotes a text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
