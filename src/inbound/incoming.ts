import { invalidField } from '../kernel/errors.ts';
import { nextToken } from '../kernel/values/exact-json.ts';
import { type Form, formText, readForm } from './schemes/form.ts';
import { spansAt } from './schemes/pointer.ts';
import type { Content, Incoming, Scalar } from './schemes/scheme.ts';

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
