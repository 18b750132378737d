import { fromBase64, toBytes } from '../bytes.ts';
import { WebhookError } from './webhook-error.ts';

/** Headers as fetch or Node provides them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body of Posthorn's own webhooks (docs/guides/receive.md). */
export type WebhookEvent = {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly channelId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, string>>;
};

export type VerifiedWebhook = {
  /** Message id, the same for every attempt. Use it to detect duplicates. */
  id: string;
  /** When this attempt was sent. */
  timestamp: Date;
  /** The body as received, digit for digit. */
  text: string;
  /** The parsed body. Other senders of Standard Webhooks use other bodies. */
  event: WebhookEvent;
};

export type VerifyOptions = {
  /** Maximum age of a request, and maximum clock difference, in seconds. Default 300. It cannot be disabled. */
  toleranceSeconds?: number;
  /** Default: now. */
  now?: Date;
};

const DEFAULT_TOLERANCE_SECONDS = 300;
/** Minimum length of an HMAC key (Standard Webhooks, Symmetric). A shorter one is most likely a mistake. */
const MIN_SECRET_BYTES = 16;

type Verifier = {
  version: 'v1' | 'v1a';
  verify: (signature: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>) => Promise<boolean>;
};

/**
 * Verifies the signature of a webhook (Standard Webhooks, versions v1 and v1a) over the exact bytes received, and
 * returns its content. `secrets` are `whsec_…` secrets or `whpk_…` public keys; pass both while one is rotated. Rejects
 * with WebhookError, and with TypeError for invalid times. The comparison takes the same time for every wrong
 * signature. A recorded request can be repeated within the tolerance, so remember ids to detect duplicates.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  checkTimes({ toleranceSeconds, now });
  const body = bytesOf(rawBody);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = timestampOf(headerOf(headers, 'webhook-timestamp'), { toleranceSeconds, now });
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const verifiers = await Promise.all((typeof secrets === 'string' ? [secrets] : secrets).map(verifierOf));
  if (verifiers.length === 0) throw new WebhookError('unusable_secret', 'No secret was given');

  const prefix = toBytes(`${id}.${timestamp}.`);
  const content = new Uint8Array(prefix.length + body.length);
  content.set(prefix);
  content.set(body, prefix.length);
  // Compares all pairs, so that the time does not reveal which of them match.
  const verdicts = await Promise.all(
    verifiers.flatMap(({ version, verify }) =>
      signatures
        .filter((signature) => signature.startsWith(`${version},`))
        .map(async (signature) => {
          const bytes = fromBase64(signature.slice(version.length + 1));
          return bytes !== undefined && (await verify(bytes, content));
        }),
    ),
  );
  const text = new TextDecoder().decode(body);
  if (!verdicts.includes(true)) throw mismatch(text);
  return { id, timestamp: new Date(timestamp * 1_000), text, event: parse(text) };
}

/** NaN is neither less nor greater than any age, so it would accept every recorded request. */
function checkTimes({ toleranceSeconds, now }: { toleranceSeconds: unknown; now: unknown }): void {
  if (typeof toleranceSeconds !== 'number' || !Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw new TypeError('toleranceSeconds must be a number of at least 0');
  // Accepts a Date of another realm, too.
  if (Object.prototype.toString.call(now) !== '[object Date]' || Number.isNaN(Number(now)))
    throw new TypeError('now must be a valid Date');
}

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return toBytes(rawBody);
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength));
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') {
    // `as`: checked by the line before, even for a buffer of another realm.
    return new Uint8Array(rawBody as ArrayBuffer);
  }
  throw new WebhookError(
    'body_not_raw',
    'The body is already parsed, but the signature covers its exact bytes: pass the raw body, before a JSON parser reads it',
  );
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found: unknown =
    typeof headers.get === 'function'
      ? // `as`: only Headers has a method; a header of that name would be a text.
        (headers as Headers).get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  const value: unknown = Array.isArray(found) && found.length === 1 ? (found as unknown[])[0] : found;
  if (value === undefined || value === null || value === '')
    throw new WebhookError('missing_header', `The header ${name} is missing`);
  if (typeof value !== 'string') throw new WebhookError('malformed_header', `The header ${name} occurs more than once`);
  return value;
}

function timestampOf(text: string, { toleranceSeconds, now }: Required<VerifyOptions>): number {
  if (!/^\d{1,12}$/.test(text))
    throw new WebhookError('malformed_header', 'The header webhook-timestamp is not a number of seconds');
  const age = now.getTime() / 1_000 - Number(text);
  if (age > toleranceSeconds)
    throw new WebhookError('timestamp_too_old', `The request was sent ${Math.round(age)} s ago`);
  if (age < -toleranceSeconds)
    throw new WebhookError(
      'timestamp_too_new',
      `The request was sent ${Math.round(-age)} s in the future: check the clocks`,
    );
  return Number(text);
}

async function verifierOf(secret: string): Promise<Verifier> {
  if (secret.startsWith('whpk_')) {
    const key = fromBase64(secret.slice('whpk_'.length));
    if (key?.length !== 32)
      throw new WebhookError('unusable_secret', 'A public key must be whpk_ and the base64 of 32 bytes');
    const imported = await crypto.subtle
      .importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
      .catch((cause: unknown) => {
        throw new WebhookError('unusable_secret', 'This platform cannot check Ed25519 signatures', { cause });
      });
    return {
      version: 'v1a',
      verify: (signature, content) => crypto.subtle.verify('Ed25519', imported, signature, content),
    };
  }
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (key === undefined || key.length < MIN_SECRET_BYTES)
    throw new WebhookError('unusable_secret', 'A secret must be whsec_ and the base64 of at least 16 bytes');
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return { version: 'v1', verify: (signature, content) => crypto.subtle.verify('HMAC', imported, signature, content) };
}

/**
 * Several causes look the same. A body that was parsed and written again has the format of JSON.stringify, which is
 * worth a hint.
 */
function mismatch(text: string): WebhookError {
  const hint = isRewritten(text)
    ? ' If this body was written by JSON.stringify, pass the raw bytes as received instead, before a JSON parser reads them.'
    : '';
  return new WebhookError(
    'no_matching_signature',
    `No signature matches any of the secrets: either the secret is wrong, or the body, id or time differs from what was signed.${hint}`,
  );
}

function isRewritten(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

function parse(text: string): WebhookEvent {
  try {
    // `as`: the sender is authenticated and sends bodies of this type.
    return JSON.parse(text) as WebhookEvent;
  } catch (cause) {
    throw new WebhookError('malformed_body', 'The signature is valid, but the body is not JSON', { cause });
  }
}
