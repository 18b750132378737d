import { invalidField } from '../kernel/errors.ts';
import { nextToken } from '../kernel/values/exact-json.ts';
import { spansAt } from './schemes/pointer.ts';
import type { Content, Incoming, Scalar, VerifiedSignature } from './schemes/scheme.ts';
import { z } from 'zod';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A request as the edge hands it on. `readJson` gives text and value of good JSON bytes and throws INVALID_REQUEST on any other. */
export type InboundRequest = {
  /** Path and query, as they came. */
  target: string;
  header(name: string): readonly string[];
  /** Every header as it came: name, value, name, value. Absent where a request is made by the service itself. */
  rawHeaders?: readonly string[];
  bytes: Buffer;
  readJson(bytes: Buffer): { text: string; value: unknown };
  address: string;
  userAgent?: string | undefined;
  hops?: number | undefined;
};

/** The request as schemes and mappings see it; its body is read once, and only when a scheme or mapping asks for it. */
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
  // `as`: there is one value for each pointer.
  return { url: `${baseUrl}${target}`, header, bytes, form, content, peek: peek as Incoming['peek'], read };
}

function peekJson(text: string, pointers: readonly string[]): (Scalar | null | undefined)[] {
  if (text[nextToken(text, 0)] !== '{') return pointers.map(() => undefined);
  try {
    return spansAt(text, pointers).map((span) => {
      if (span === undefined) return undefined;
      const first = text[span.start];
      // `as`: a JSON text that is no object and no list.
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

/** A payload is an object: what comes as a list stands in one. */
function toContent({ text, value }: { text: string; value: unknown }): Content {
  if (Array.isArray(value)) return { text: `{"events":${text.trim()}}`, value: { events: value } };
  if (typeof value !== 'object' || value === null) throw invalidField('body', 'must be an object, a list or a form');
  // `as`: an object of JSON.
  return { text: text.trim(), value: value as Record<string, unknown> };
}

/** Names and values of a form, in their order. */
type Form = readonly (readonly [name: string, value: string])[];

/** Fields of one form. Twilio and Slack, which send the longest forms, stay below 100. */
const MAX_FIELDS = 1_000;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const BLANK = 0x20;

/**
 * The fields of a form, of a caller who may not have proven anything yet. INVALID_REQUEST for more than 1,000 of them: their separators
 * are counted in the bytes, before any field is built.
 */
function readForm(bytes: Buffer): Form {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    fields += 1;
    if (fields > MAX_FIELDS) throw invalidField('body', `must have at most ${MAX_FIELDS} fields of a form`);
  }
  // 1 MiB of plus signs takes URLSearchParams 60 to 300 ms, and as many blanks a few.
  const spaced = Buffer.from(bytes);
  for (let at = 0; at < spaced.length; at += 1) if (spaced[at] === PLUS) spaced[at] = BLANK;
  return [...new URLSearchParams(spaced.toString('utf8'))];
}

/** The fields of a form as a JSON text: a name that stands there several times has a list. */
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

/** A refused request as it is kept. `proven` is what its signature has proven, which is not asked again. */
export type KeptRequest = {
  target: string;
  /** Name and value, in their order. */
  headers: readonly (readonly [name: string, value: string])[];
  proven: VerifiedSignature;
  body: Buffer;
  readJson: InboundRequest['readJson'];
};

/** Headers that prove who asks at some proxy in front. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'dpop']);

/**
 * What is kept beside the body, as JSON text: target, what was proven, and the headers, which mappings read. Credentials are left out, and
 * so is any header with a secret of the webhook in it: some services send theirs as it is.
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

/** The request as it came, but for what is not kept of it. */
export function keptRequestOf({ target, headers, body, readJson }: KeptRequest): InboundRequest {
  const values = (name: string): string[] => headers.flatMap(([each, value]) => (each === name ? [value] : []));
  return { target, header: values, bytes: body, readJson, address: '' };
}
