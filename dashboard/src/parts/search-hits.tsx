import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { api, type SearchResults } from '../api/client.ts';
import { countText, dateText } from '../lib/format.ts';
import type { Zone } from '../lib/zone-times.ts';
import type { SearchHit } from '../lib/hit-addresses.ts';
import { pathOfValue } from '../lib/json-places.ts';
import { memberText } from '../lib/raw-json.ts';
import { sinceOf } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { MESSAGE_STATES } from '../lib/words.ts';
import { namedId } from '../ui/copy.tsx';
import type { Tone } from '../ui/status.tsx';
import { Name } from './names.tsx';
import { namedKindOf } from './thing-name.tsx';

type Asked = { q: string; channelId?: string | undefined; since?: string | undefined };

/** Searches page by page: each page examines a limited number of messages, and the next one continues from there. */
export function useHits(
  { q, channelId, since }: Asked,
  { limit, isAsked, keepsBefore = false }: { limit: number; isAsked: boolean; keepsBefore?: boolean },
) {
  const { at, path } = useHere();
  return useInfiniteQuery({
    queryKey: [path, 'search', q, channelId, since, limit],
    queryFn: ({ pageParam, signal }) =>
      api.search.find({ q, channelId, since: sinceOf(since), limit, cursor: pageParam }, { ...at, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    enabled: isAsked,
    // While the user types, keep the previous results until there are new ones.
    placeholderData: (before) => (keepsBefore && isAsked ? before : undefined),
    meta: { failure: 'own' },
    // A refetch would search everything again.
    refetchOnWindowFocus: false,
    staleTime: 10_000,
    retry: false,
  });
}

/**
 * Returns the progress of a search: `Searched 20,000 messages back to 27 Nov 09:12`. Undefined if no messages were
 * searched.
 */
export function searchedText(pages: readonly SearchResults[], now: number, zone: Zone): string | undefined {
  const parts = pages.map(({ lookedThrough }) => lookedThrough);
  const messages = parts.reduce((sum, part) => sum + part.messages, 0);
  const oldest = parts.findLast((part) => part.oldestAt !== undefined)?.oldestAt;
  if (messages === 0) return undefined;
  const count = `${countText(messages)} ${messages === 1 ? 'message' : 'messages'}`;
  if (parts.at(-1)?.isComplete === true) return `Searched all ${count}`;
  return `Searched ${count}${oldest === undefined ? '' : ` back to ${dateText(oldest, now, zone)}`}`;
}

const ID = /\b((?:chn|sub|wfl|msg|dlv)_[0-9a-hjkmnp-tv-z]{26})\b/;

/** Returns a summary from the service, with names in place of ids. */
const named = (text: string): ReactNode =>
  text.split(ID).map((part, at) => {
    const kind = namedKindOf(part);
    if (at % 2 === 0) return part;
    return kind === undefined ? (
      <span key={part} className="mono">
        {namedId(part)}
      </span>
    ) : (
      <Fragment key={part}>
        <Name kind={kind} id={part} />
      </Fragment>
    );
  });

/**
 * Returns a search hit in a few words: the name of a thing, or the event type of a message and to how many
 * subscriptions it was delivered.
 */
export function hitText({ kind, summary }: SearchHit): { title: ReactNode; note?: string } {
  if (kind !== 'message') return { title: named(summary) };
  const [, type = summary, delivered, total] = /^(.*), delivered (\d+) of (\d+)$/s.exec(summary) ?? [];
  if (total === undefined) return { title: named(summary.replace(' on ', ' in ')) };
  return { title: type, note: total === '0' ? 'No subscribers' : `${delivered} of ${total} delivered` };
}

const STATES: Readonly<Record<string, { tone: Tone; word: string }>> = {
  ...MESSAGE_STATES,
  active: { tone: 'delivered', word: 'Active' },
  system: { tone: 'delivered', word: 'System' },
  paused: { tone: 'held', word: 'Paused' },
  disabled: { tone: 'held', word: 'Disabled' },
  archived: { tone: 'cancelled', word: 'Archived' },
  draft: { tone: 'pending', word: 'Draft' },
  running: { tone: 'running', word: 'Running' },
  waiting: { tone: 'pending', word: 'Waiting' },
  completed: { tone: 'delivered', word: 'Completed' },
  skipped: { tone: 'cancelled', word: 'Skipped' },
  held: { tone: 'held', word: 'On hold' },
  open: { tone: 'failed', word: 'Open' },
  replayed: { tone: 'delivered', word: 'Replayed' },
  discarded: { tone: 'cancelled', word: 'Discarded' },
  approved: { tone: 'delivered', word: 'Approved' },
  rejected: { tone: 'failed', word: 'Rejected' },
  unauthorized: { tone: 'failed', word: 'Not connected' },
};

/** Returns the state of a search hit. */
export function hitState({ status }: SearchHit): { tone: Tone; word: string } | undefined {
  if (status === undefined) return undefined;
  const word = status.charAt(0).toUpperCase() + status.slice(1).replaceAll('_', ' ');
  return STATES[status] ?? { tone: 'pending', word };
}

/** Returns the value in a search text: the part after its path, or the whole text. In quotes it is a string. */
export function valueOf(q: string): string {
  const text = q.startsWith('payload.') ? q.slice(q.indexOf('=') + 1) : q;
  return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
}

/** Returns the channels of the first messages found by a value, and where in their payloads the value is. */
export function useFoundPlaces(hits: readonly SearchHit[], value: string, most: number) {
  const { at, path } = useHere();
  const wanted = hits.filter(({ kind, matched }) => kind === 'message' && matched === 'payload').slice(0, most);
  const found = useQueries({
    queries: wanted.map(({ id }) => ({
      queryKey: [path, 'found-place', id, value],
      queryFn: async () => {
        const { data, text } = await api.messages.get(id, at).withAnswer();
        return { channelId: data.channelId, path: pathOfValue(memberText(text, 'payload') ?? '{}', value) };
      },
      staleTime: Number.POSITIVE_INFINITY,
      meta: { failure: 'none' },
      retry: false,
    })),
  });
  return new Map(
    wanted.flatMap(({ id }, index) => (found[index]?.data === undefined ? [] : [[id, found[index].data]])),
  );
}

/** Returns the channel of a message found by a value, and the path of that value. */
export function FoundPlace({
  of: { channelId, path, value },
}: {
  of: { channelId: string; path: string | undefined; value: string };
}) {
  return (
    <>
      in <Name kind="channel" id={channelId} />{' '}
      {path !== undefined && (
        <span className="mono ml-1">
          {path} = <mark className="rounded-4 bg-retrying-soft px-0.75 text-text">{value}</mark>
        </span>
      )}
    </>
  );
}
