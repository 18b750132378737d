/** A row with these values is there already, as PostgreSQL, Prisma and its driver adapter say it. */
export const DUPLICATE_CODES: ReadonlySet<string> = new Set(['23505', 'P2002', 'UniqueConstraintViolation']);

/** Depth to which causes are searched: Prisma puts the server's code three levels down. */
const MAX_CAUSES = 8;

/** Every code and message in an error of a database or of the way to it, causes included: PostgreSQL's, Prisma's, Node's. */
export function failureCodes(thrown: unknown): { codes: string[]; messages: string[] } {
  const codes: string[] = [];
  const messages: string[] = [];
  let layer: unknown[] = [thrown];
  for (let depth = 0; depth < MAX_CAUSES && layer.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const value of layer) {
      if (typeof value !== 'object' || value === null) continue;
      const { code, originalCode, kind, message, cause, meta, driverAdapterError, errors } = members(value);
      codes.push(...[code, originalCode, kind].filter((text) => typeof text === 'string'));
      if (typeof message === 'string') messages.push(message);
      below.push(cause, meta, driverAdapterError, ...listOf(errors));
    }
    layer = below;
  }
  return { codes, messages };
}

// Array.isArray alone gives any[].
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Members = Partial<
  Record<'code' | 'originalCode' | 'kind' | 'message' | 'cause' | 'meta' | 'driverAdapterError' | 'errors', unknown>
>;

// Every object may be asked for any member; each member stays unknown until it is checked.
const members = (value: object): Members => value;
