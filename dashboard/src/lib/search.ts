import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './list-filter.ts';

/** The address of a page holds all of its state, as plain texts: `?status=failed&since=1h`. */
export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));

export function writeSearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

/** The state in the address, and a way to change some of it. An empty text takes a part away. */
export function useAddress(): [search: Search, change: (part: Search, options?: { replace?: boolean }) => void] {
  // `as`: parseSearch makes nothing but texts.
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (part: Search, { replace = false } = {}) =>
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...part }), replace } as never),
    [navigate],
  );
  return [search, change];
}

// `Date.parse` takes "1" for a month of 2001.
const ISO_TIME = /^\d{4}-\d\d-\d\d/;
const SIZES: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The time that a text such as `15m`, `1h`, `7d` or an ISO time means, now. Undefined for any other text. A key of a query has the text and
 * never this time: each minute would be another list, and what is read would be gone.
 */
export function sinceOf(text: string | undefined): string | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text ?? '') ?? [];
  const size = SIZES[unit ?? ''];
  // Whole minutes: two questions of one page mean the same time.
  if (size !== undefined)
    return new Date(Math.floor((Date.now() - Number(count) * size) / 60_000) * 60_000).toISOString();
  return ISO_TIME.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''))
    ? new Date(text ?? '').toISOString()
    : undefined;
}

/** Whether the text means a time. */
export const isTime = (text: string): boolean => sinceOf(text) !== undefined;

/** Whether the text looks like an id of this prefix. */
export const isIdOf =
  (prefix: string) =>
  (text: string): boolean =>
    new RegExp(`^${prefix}_\\w{1,64}$`).test(text);

/** Whether the text is an event type, or a beginning such as `order.*`. */
export const isEventType = (text: string): boolean =>
  text.length <= 128 && (!text.includes('*') || text === '*' || /^[^*]+\.\*$/.test(text));

/** The texts between commas, if all of them are of these and none is there twice. */
export function someOf<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] | undefined {
  const words = text?.split(',') ?? [];
  const known = all.filter((each) => words.includes(each));
  return known.length > 0 && known.length === words.length ? known : undefined;
}

/** The text if it is one of these. */
export const oneOf = <T extends string>(text: string | undefined, all: readonly T[]): T | undefined =>
  all.find((each) => each === text);
