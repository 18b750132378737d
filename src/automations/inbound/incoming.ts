import { invalidField } from '../../kernel/errors/api-error.ts';
import type { Content, Incoming } from './schemes/scheme.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A request as the edge hands it on. `readJson` gives text and value of good JSON bytes and throws INVALID_REQUEST on any other. */
export type InboundRequest = {
  /** Path and query, as they came. */
  target: string;
  header(name: string): readonly string[];
  bytes: Buffer;
  readJson(bytes: Buffer): { text: string; value: unknown };
  address: string;
  userAgent?: string | undefined;
  hops?: number | undefined;
};

/** The request as schemes and mappings see it; its body is read once, and only when somebody asks. */
export function toIncoming(
  { target, header, bytes, readJson }: InboundRequest,
  { baseUrl, jsonField }: { baseUrl: string; jsonField: string | undefined },
): Incoming {
  const read = (text: string): Content => toContent(readJson(Buffer.from(text)));
  const form = once((): readonly (readonly [string, string])[] | undefined => {
    const [type = ''] = (header('content-type')[0] ?? '').split(';');
    if (type.trim().toLowerCase() !== FORM_TYPE) return undefined;
    return [...new URLSearchParams(bytes.toString('utf8'))];
  });
  const content = once((): Content => {
    const fields = form();
    if (fields === undefined) return toContent(readJson(bytes));
    const json = fields.find(([name]) => name === jsonField)?.[1];
    return read(json ?? formText(fields));
  });
  return { url: `${baseUrl}${target}`, header, bytes, form, content, read };
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

/** The fields of a form as a JSON text: a name that stands there several times has a list. */
function formText(fields: readonly (readonly [string, string])[]): string {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value]);
  const members = [...values].map(
    ([name, given]) => `${JSON.stringify(name)}:${JSON.stringify(given.length === 1 ? given[0] : given)}`,
  );
  return `{${members.join(',')}}`;
}
