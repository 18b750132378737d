import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './list-filter.ts';

/** Page state lives in the address, as plain texts: `?status=failed&since=1h`. */
export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));

export function writeSearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the state in the address and a function that changes parts of it. An empty text removes a part. */
export function useAddress(): [search: Search, change: (part: Search, options?: { replace?: boolean }) => void] {
  // `as`: parseSearch returns only texts.
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (part: Search, { replace = false } = {}) =>
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...part }), replace } as never),
    [navigate],
  );
  return [search, change];
}

// `Date.parse` reads "1" as a month of 2001.
const ISO_TIME = /^\d{4}-\d\d-\d\d/;
const SIZES: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Returns the time that a text such as `15m`, `1h`, `7d` or an ISO time means now, or undefined for any other text.
 * Query keys must contain the text, never this time: otherwise the list would change every minute and lose what was
 * loaded.
 */
export function sinceOf(text: string | undefined): string | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text ?? '') ?? [];
  const size = SIZES[unit ?? ''];
  // Whole minutes, so that two queries of one page use the same time.
  if (size !== undefined)
    return new Date(Math.floor((Date.now() - Number(count) * size) / 60_000) * 60_000).toISOString();
  return ISO_TIME.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''))
    ? new Date(text ?? '').toISOString()
    : undefined;
}

/** Whether the text is a time. */
export const isTime = (text: string): boolean => sinceOf(text) !== undefined;

/** Whether the text looks like an id with this prefix. */
export const isIdOf =
  (prefix: string) =>
  (text: string): boolean =>
    new RegExp(`^${prefix}_\\w{1,64}$`).test(text);

/** Whether the text is an event type, or a prefix such as `order.*`. */
export const isEventType = (text: string): boolean =>
  text.length <= 128 && (!text.includes('*') || text === '*' || /^[^*]+\.\*$/.test(text));

/** Returns the texts between commas if all of them are allowed and none occurs twice. */
export function someOf<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] | undefined {
  const words = text?.split(',') ?? [];
  const known = all.filter((each) => words.includes(each));
  return known.length > 0 && known.length === words.length ? known : undefined;
}

/** Returns the text if it is one of these. */
export const oneOf = <T extends string>(text: string | undefined, all: readonly T[]): T | undefined =>
  all.find((each) => each === text);
