import { isApiError } from '../api/client.ts';

/** Why the service has refused a field, or a part of it. Undefined for all other failures. */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!isApiError(error) || error.details === undefined) return undefined;
  const { field: refused, reason } = error.details;
  return refused === field || refused.startsWith(`${field}.`) || refused.startsWith(`${field}[`) ? reason : undefined;
}

/** Whether one of these fields shows why the service has refused it: no note needs to say it again. */
export const isAtField = (error: unknown, fields: readonly string[]): boolean =>
  fields.some((field) => problemOf(error, field) !== undefined);
