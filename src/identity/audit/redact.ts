/** Fields whose values may be secrets of a receiver; their names alone are kept. */
const HEADERS = 'headers';
const SECRET_NAMES = /secret|password|^key$|token/i;
const HIDDEN = '(not kept)';

type Fields = Readonly<Record<string, unknown>>;

/** The named fields of a resource as the audit log may keep them: no secret, and of request headers the names only. */
export const redact = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, redactField(name, value)]),
  );

function redactField(name: string, value: unknown): unknown {
  if (SECRET_NAMES.test(name)) return HIDDEN;
  if (name !== HEADERS || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((header) => [header, HIDDEN]));
}
