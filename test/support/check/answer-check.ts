import { z } from 'zod';
import { errorCodesOf, type Row } from '../../../src/api/http/route/route.ts';
import { errorEnvelope } from '../../../src/api/http/answers/error-envelope.ts';
import { healthAnswer, readyAnswer, unreadyAnswer } from '../../../src/api/http/health.ts';
import { routes } from '../../../src/process/routes.ts';
import { type ErrorCode, STATUS_OF_CODE } from '../../../src/kernel/errors.ts';

/** Returns where a value, as it came over the wire, differs from a schema; empty when it fits. Unknown fields are problems. */
export const problemsOf = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

export type Seen = { method: string; path: string; status: number; body: unknown };

/** Responses of paths that have no row: they are answered before the route table and have no rate limit. */
export const PROBES: Readonly<Record<string, Readonly<Record<number, z.ZodType>>>> = {
  '/healthz': { 200: healthAnswer },
  '/readyz': { 200: readyAnswer, 503: unreadyAnswer },
};

const patterns = routes.map((row) => ({ row, pattern: new RegExp(`^${row.path.replaceAll(/:\w+/g, '[^/]+')}$`) }));

const parametersOf = ({ path }: Row): number => path.split(':').length;

/** Returns the row for a request. When several rows match a path, the one with the fewest parameters wins, whatever the method. */
function rowOf(method: string, path: string): Row | undefined {
  const rows = patterns.filter(({ pattern }) => pattern.test(path)).map(({ row }) => row);
  const fewest = Math.min(...rows.map(parametersOf));
  return rows.find((row) => row.method === method && parametersOf(row) === fewest);
}

/**
 * Returns where a response differs from its route row: another status, a body that does not fit the schema of its status, or a code
 * that the route does not list. Responses to HEAD, and streams, have no body to check.
 */
export function answerProblems({ method, path: target, status, body }: Seen, table = rowOf): string[] {
  const [path = ''] = target.split('?');
  if (method === 'HEAD') return [];
  const row = table(method, path);
  const answers = PROBES[path] ?? row?.answers ?? {};
  const good = answers[status];
  if (good !== undefined) return isStream(good) ? [] : problemsOf(linesOf(good), body);
  const refusal = errorEnvelope.safeParse(body);
  if (!refusal.success)
    return [`status ${status} is neither among the answers nor a refusal`, ...problemsOf(errorEnvelope, body)];
  const { code } = refusal.data.error;
  const codes: readonly ErrorCode[] = row === undefined ? [...NO_ROUTE, ...errorCodesOf(ANY)] : errorCodesOf(row);
  return [
    ...(STATUS_OF_CODE[code] === status ? [] : [`${code} has the status ${status}`]),
    ...(codes.includes(code) ? [] : [`${code} is not among the codes of the route`]),
  ];
}

/** A response of JSON lines is checked as an array of them. `as`: http/line-stream.ts puts the line's schema there. */
const linesOf = (schema: z.ZodType): z.ZodType => {
  const line = schema.meta()?.['line'] as z.ZodType | undefined;
  return line === undefined ? schema : z.array(line);
};

const isStream = (schema: z.ZodType): boolean => schema.meta()?.['mediaType'] === 'text/event-stream';

/** Error codes for paths without a route, in addition to those raised before routing. */
const NO_ROUTE: readonly ErrorCode[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];
const ANY = { access: { scope: 'channels:read' }, method: 'GET', errors: [] } as const;
