import { headerValueProblem } from '../../platform/outbound/headers.ts';
import type { Auth, Connector, RequestTemplate } from './catalogue/connector.ts';

/** Resolved authentication of an http action. */
export type RequestAuth = { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string };

/** Returns the Authorization header (RFC 7617, RFC 6750). */
export const authorizationOf = (auth: RequestAuth): string =>
  auth.type === 'bearer'
    ? `Bearer ${auth.token}`
    : `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;

/** A request as it is sent. `body` includes its media type. */
export type ConnectorRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: { type: string; text: string };
};

type Values = Readonly<Record<string, unknown>>;
type Given = { params: Values; credentials: Values; idempotencyKey: string; toJson: (value: unknown) => string };

/**
 * Builds the request of an operation from valid parameters and credentials. Throws an Error if a value cannot be part
 * of the address. `toJson` also writes integers that a double cannot represent.
 */
export function requestOf(
  { auth, headers }: Pick<Connector, 'auth' | 'headers'>,
  template: RequestTemplate,
  given: Given,
): ConnectorRequest {
  const url = new URL(filled(template.url, given));
  const query = typeof template.query === 'string' ? valueOf(template.query, given) : template.query;
  for (const [name, part] of Object.entries((query ?? {}) as Values)) {
    const value = typeof template.query === 'string' ? part : resolved(part, given);
    if (value !== undefined && value !== null) url.searchParams.append(name, asText(value, given));
  }
  const body = bodyOf(template, given);
  return {
    method: template.method,
    url: url.href,
    headers: {
      ...headers,
      ...template.headers,
      ...(template.idempotencyHeader !== undefined && { [template.idempotencyHeader]: given.idempotencyKey }),
      ...(body !== undefined && { 'content-type': body.type }),
      ...credentialHeaders(auth, given.credentials),
    },
    ...(body !== undefined && { body }),
  };
}

/** Returns the headers that authenticate the request. */
function credentialHeaders(auth: Auth, credentials: Values): Record<string, string> {
  const withCredentials = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(credentials[name]));
  if (auth.type === 'none') return {};
  if (auth.type === 'oauth2')
    return { authorization: authorizationOf({ type: 'bearer', token: String(credentials['accessToken']) }) };
  if (auth.type === 'basic') {
    const [username, password] = [withCredentials(auth.username), withCredentials(auth.password)];
    return { authorization: authorizationOf({ type: 'basic', username, password }) };
  }
  return Object.fromEntries(
    Object.entries(auth.headers ?? {}).map(([name, value]) => [
      withCredentials(name).toLowerCase(),
      withCredentials(value),
    ]),
  );
}

/**
 * Returns the first credential that cannot be sent in its header, and why. User names and passwords are sent in base64,
 * which is always possible.
 */
export function unsendableIn(auth: Auth, credentials: Values): { name: string; reason: string } | undefined {
  if (auth.type !== 'api_key') return undefined;
  for (const template of Object.values(auth.headers ?? {}))
    for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
      const reason = headerValueProblem(String(credentials[name]));
      if (reason !== undefined) return { name, reason };
    }
  return undefined;
}

/** Fills in credentials in a text of an OAuth 2.0 provider, which has the same syntax as an address. */
export const filledWith = (template: string, credentials: Values): string =>
  filled(template, { params: {}, credentials, idempotencyKey: '', toJson: JSON.stringify });

/** Fills in a template of an address. Each value becomes one path segment, or is inserted unchanged after `+`. */
const filled = (template: string, given: Given): string =>
  template.replaceAll(/\{(\+?)([\w.]+)\}/g, (_, plus: string, name: string) => {
    const text = asText(valueOf(`$${name}`, given), given);
    // `.` and `..` would navigate in the path, however they are encoded.
    if (plus === '' && /^\.{0,2}$/.test(text)) throw new Error(`${name} cannot be part of a path`);
    return plus === '' ? encodeURIComponent(text) : text;
  });

/** Returns the value of `$name`. */
function valueOf(reference: string, { params, credentials, idempotencyKey }: Given): unknown {
  const name = reference.slice(1);
  if (name === 'idempotencyKey') return idempotencyKey;
  return name.startsWith('connection.') ? credentials[name.slice('connection.'.length)] : params[name];
}

const REFERENCE = /^\$[\w.]+(?: \?\? \$[\w.]+)?$/;

/** Fills in values in a part of a body. Returns undefined if a parameter is absent. */
function resolved(part: unknown, given: Given): unknown {
  if (typeof part === 'string') {
    if (!REFERENCE.test(part)) return part;
    const [first = '', second] = part.split(' ?? ');
    return valueOf(first, given) ?? (second === undefined ? undefined : valueOf(second, given));
  }
  if (Array.isArray(part)) return part.map((item) => resolved(item, given));
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.entries(part).map(([name, member]) => [name, resolved(member, given)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function bodyOf({ json, form }: RequestTemplate, given: Given): { type: string; text: string } | undefined {
  if (form !== undefined) {
    const fields = new URLSearchParams();
    for (const [name, value] of flat(resolved(form, given) as Values)) fields.append(name, asText(value, given));
    return { type: 'application/x-www-form-urlencoded', text: fields.toString() };
  }
  const value = json === undefined ? undefined : resolved(json, given);
  return value === undefined ? undefined : { type: 'application/json; charset=utf-8', text: given.toJson(value) };
}

/** Flattens nested members as forms write them: `metadata[order]`. */
function flat(values: Values, around = ''): [name: string, value: unknown][] {
  return Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    const full = around === '' ? name : `${around}[${name}]`;
    return typeof value === 'object' && value !== null ? flat(value as Values, full) : [[full, value]];
  });
}

const asText = (value: unknown, { toJson }: Given): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : toJson(value);
