import { isApiError } from '../api/client.ts';

/** Returns why the service rejected a field or a part of it, or undefined for any other failure. */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!isApiError(error) || error.details === undefined) return undefined;
  const { field: refused, reason } = error.details;
  return refused === field || refused.startsWith(`${field}.`) || refused.startsWith(`${field}[`) ? reason : undefined;
}

/** Whether one of these fields shows why the service rejected it, so that no note has to repeat it. */
export const isAtField = (error: unknown, fields: readonly string[]): boolean =>
  fields.some((field) => problemOf(error, field) !== undefined);
