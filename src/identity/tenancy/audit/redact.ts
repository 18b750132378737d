/** Parts of requests whose values may be secrets of a receiver; their names alone are kept. */
const PARTS: ReadonlySet<string> = new Set(['headers', 'query', 'auth']);
const SECRET_NAMES = /secret|password|^key$|token/i;
/** The same within a resource, where `key` is an expression and objects are looked into. */
const INNER_SECRET_NAMES = /secret|password|token|^api-?key$/i;
const HIDDEN = '(not kept)';
/** A value that only names a secret, with the scheme before it, is no secret itself. */
const TEMPLATE = /^(?:\w+ )?\{\{[^{}]*\}\}$/;

type Fields = Readonly<Record<string, unknown>>;

/** The named fields of a resource as the audit log may keep them: no secret, and of request headers the names only, however deep. */
export const redact = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, SECRET_NAMES.test(name) ? HIDDEN : redactValue(name, value)]),
  );

function redactValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => redactValue(name, item));
  if (typeof value !== 'object' || value === null || value instanceof Date)
    return INNER_SECRET_NAMES.test(name) && typeof value === 'string' ? withoutText(value) : value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([inner, own]) => [inner, PARTS.has(name) ? partOf(inner, own) : redactValue(inner, own)]),
  );
}

/** `type` of `auth` says how, and is no secret. */
const partOf = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (name === 'type' ? value : withoutText(value)) : HIDDEN;

const withoutText = (value: string): string => (TEMPLATE.test(value) ? value : HIDDEN);
