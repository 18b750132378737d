import { invalidField } from '../kernel/errors.ts';
import { nextToken } from '../kernel/values/exact-json.ts';
import { spansAt } from './schemes/pointer.ts';
import type { Content, Incoming, Scalar, VerifiedSignature } from './schemes/scheme.ts';
import { z } from 'zod';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * A request as the HTTP layer passes it on. `readJson` returns text and value of valid JSON bytes and throws
 * INVALID_REQUEST otherwise.
 */
export type InboundRequest = {
  /** Path and query, as received. */
  target: string;
  header(name: string): readonly string[];
  /** All headers as received: name, value, name, value. Absent if the service itself created the request. */
  rawHeaders?: readonly string[];
  bytes: Buffer;
  readJson(bytes: Buffer): { text: string; value: unknown };
  address: string;
  userAgent?: string | undefined;
  hops?: number | undefined;
};

/** The request as schemes and mappings see it. Its body is parsed once, and only when a scheme or mapping needs it. */
export function toIncoming(
  { target, header, bytes, readJson }: InboundRequest,
  { baseUrl, jsonField }: { baseUrl: string; jsonField: string | undefined },
): Incoming {
  const read = (text: string): Content => toContent(readJson(Buffer.from(text)));
  const form = once((): Form | undefined => {
    const [type = ''] = (header('content-type')[0] ?? '').split(';');
    return type.trim().toLowerCase() === FORM_TYPE ? readForm(bytes) : undefined;
  });
  const content = once((): Content => {
    const fields = form();
    if (fields === undefined) return toContent(readJson(bytes));
    const json = fields.find(([name]) => name === jsonField)?.[1];
    return read(json ?? formText(fields));
  });
  const peek = (pointers: readonly string[]): (Scalar | null | undefined)[] => {
    const fields = form();
    if (fields === undefined) return peekJson(bytes.toString('utf8'), pointers);
    return pointers.map((pointer) => {
      const [value, ...more] = fields.flatMap(([name, text]) => (`/${name}` === pointer ? [text] : []));
      return more.length > 0 ? null : value;
    });
  };
  // `as`: `peek` returns one value per pointer.
  return { url: `${baseUrl}${target}`, header, bytes, form, content, peek: peek as Incoming['peek'], read };
}

function peekJson(text: string, pointers: readonly string[]): (Scalar | null | undefined)[] {
  if (text[nextToken(text, 0)] !== '{') return pointers.map(() => undefined);
  try {
    return spansAt(text, pointers).map((span) => {
      if (span === undefined) return undefined;
      const first = text[span.start];
      // `as`: JSON text that is neither an object nor an array.
      return first === '{' || first === '[' ? null : (JSON.parse(text.slice(span.start, span.end)) as Scalar | null);
    });
  } catch {
    throw invalidField('body', 'is not valid JSON');
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A payload is an object, so an array is wrapped in one. */
function toContent({ text, value }: { text: string; value: unknown }): Content {
  if (Array.isArray(value)) return { text: `{"events":${text.trim()}}`, value: { events: value } };
  if (typeof value !== 'object' || value === null) throw invalidField('body', 'must be an object, an array or a form');
  // `as`: a JSON object.
  return { text: text.trim(), value: value as Record<string, unknown> };
}

/** Names and values of a form, in order. */
type Form = readonly (readonly [name: string, value: string])[];

/** Maximum fields in a form. Twilio and Slack, which send the longest forms, stay below 100. */
const MAX_FIELDS = 1_000;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const BLANK = 0x20;

/**
 * Returns the fields of a form whose sender may not be authenticated yet. Throws INVALID_REQUEST for more than 1,000 of
 * them: the separators are counted in the bytes before any field is built.
 */
function readForm(bytes: Buffer): Form {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    fields += 1;
    if (fields > MAX_FIELDS) throw invalidField('body', `must have at most ${MAX_FIELDS} form fields`);
  }
  // URLSearchParams takes 60 to 300 ms for 1 MiB of plus signs, but only a few milliseconds for as many spaces.
  const spaced = Buffer.from(bytes);
  for (let at = 0; at < spaced.length; at += 1) if (spaced[at] === PLUS) spaced[at] = BLANK;
  return [...new URLSearchParams(spaced.toString('utf8'))];
}

/** Returns the fields of a form as JSON text. A name that occurs several times gets an array. */
function formText(fields: Form): string {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const given = values.get(name);
    if (given === undefined) values.set(name, [value]);
    else given.push(value);
  }
  const members = [...values].map(
    ([name, given]) => `${JSON.stringify(name)}:${JSON.stringify(given.length === 1 ? given[0] : given)}`,
  );
  return `{${members.join(',')}}`;
}

/** A refused request as it is stored. `proven` is the result of its signature check, which is not repeated. */
export type KeptRequest = {
  target: string;
  /** Names and values, in order. */
  headers: readonly (readonly [name: string, value: string])[];
  proven: VerifiedSignature;
  body: Buffer;
  readJson: InboundRequest['readJson'];
};

/** Headers with credentials for a proxy in front of the service. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'dpop']);

/**
 * Returns what is stored in addition to the body, as JSON text: target, result of the signature check, and the headers,
 * because mappings read them. Leaves out credentials and every header that contains a secret of the webhook, because
 * some services send theirs in plain text.
 */
export function keptHeadOf(
  { target, rawHeaders = [] }: InboundRequest,
  proven: VerifiedSignature,
  secrets: readonly string[],
): string {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    if (!CREDENTIALS.has(name) && !secrets.some((secret) => value.includes(secret))) headers.push([name, value]);
  }
  return JSON.stringify({ target, headers, proven });
}

const head = z.object({
  target: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  proven: z.object({ replayKey: z.string().exactOptional() }),
});

/** The inverse of `keptHeadOf`. */
export const readKeptHead = (text: string): Pick<KeptRequest, 'target' | 'headers' | 'proven'> =>
  head.parse(JSON.parse(text));

/** Restores the request as it arrived, except for the parts that are not stored. */
export function keptRequestOf({ target, headers, body, readJson }: KeptRequest): InboundRequest {
  const values = (name: string): string[] => headers.flatMap(([each, value]) => (each === name ? [value] : []));
  return { target, header: values, bytes: body, readJson, address: '' };
}
