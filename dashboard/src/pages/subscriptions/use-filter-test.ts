import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { hasEventType, misspeltNames } from '../../lib/filter-names.ts';
import { payloadPaths } from '../../lib/payload-paths.ts';
import { memberText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { failureText } from '../../parts/failure-text.ts';
import { useSettled } from '../../parts/use-found.ts';
import type { CodeProblem } from '../../ui/code/editor-problems.ts';

/** How many of the newest messages of a channel are tested, in one request. */
const MESSAGES = 50;
/**
 * How many of their payloads are loaded, for the values that the filter names. Each is loaded once, however often the
 * filter changes.
 */
const WITH_PAYLOADS = 20;
/** A larger payload is not loaded. */
const MOST_READ = 65_536;

export type TestedMessage = {
  id: string;
  eventType: string;
  outcome: 'match' | 'none' | 'type' | 'error';
  error?: string | undefined;
};

export type SampleTest = {
  /** Whether the channel has messages. Undefined if not known yet. */
  hasMessages: boolean | undefined;
  /** The newest messages, each with its test result. Undefined if not known yet. */
  messages: readonly TestedMessage[] | undefined;
  /** Why the filter cannot be used at all. */
  error: string | undefined;
  /** Names that no payload has, and what is probably meant. */
  problems: readonly CodeProblem[];
  payloads: ReadonlyMap<string, string>;
  /** Event types and names of values in the messages. */
  types: readonly string[];
  names: readonly string[];
};

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Tests event types and a filter on the newest messages of the channel while they are edited. The API evaluates the
 * filter, exactly as it does for a delivery.
 */
export function useFilterTest(
  channelId: string,
  { eventTypes, filter }: { eventTypes: readonly string[]; filter: string },
  { isWanted = true }: { isWanted?: boolean } = {},
): SampleTest {
  const { at, path } = useHere();
  const settled = useSettled(filter.trim());
  const newest = useQuery({
    queryKey: [path, 'filter-messages', channelId],
    queryFn: async () => (await api.messages.listAll({ channelId, limit: MESSAGES }, at).page()).data,
    enabled: isWanted && channelId !== '',
    refetchInterval: 15_000,
    meta: { failure: 'own' },
  });
  const all = newest.data;
  const hasFilter = settled !== '';
  const verdicts = useQuery({
    queryKey: [path, 'filter-verdicts', channelId, settled, all?.[0]?.id],
    queryFn: ({ signal }) =>
      api.messages.testFilter(channelId, { filter: settled, limit: MESSAGES }, { ...at, signal }),
    enabled: isWanted && hasFilter && all !== undefined,
    retry: false,
    placeholderData: (before) => before,
    meta: { failure: 'own' },
  });
  const ids = (all ?? [])
    .slice(0, WITH_PAYLOADS)
    .filter(({ payloadBytes = Infinity }) => payloadBytes <= MOST_READ)
    .map(({ id }) => id);
  const payloads = useQuery({
    queryKey: [path, 'filter-payloads', ids],
    queryFn: async () => {
      const read = ids.map(async (id) => {
        const { text } = await api.messages.get(id, at).withAnswer();
        return [id, memberText(text, 'payload') ?? '{}'] as const;
      });
      return new Map(await Promise.all(read));
    },
    enabled: isWanted && ids.length > 0 && hasFilter,
    staleTime: Infinity,
    retry: false,
    meta: { failure: 'own' },
  });
  const read = payloads.data ?? NONE;
  const isOfType = (type: string): boolean => hasEventType(eventTypes, type);
  const messages = hasFilter
    ? verdicts.data?.messages.map(({ messageId, eventType, matches, error }): TestedMessage => {
        const outcome = !isOfType(eventType) ? 'type' : error !== undefined ? 'error' : matches ? 'match' : 'none';
        return { id: messageId, eventType, outcome, error };
      })
    : all?.map(
        ({ id, eventType }): TestedMessage => ({ id, eventType, outcome: isOfType(eventType) ? 'match' : 'type' }),
      );
  const names = useMemo(() => payloadPaths([...read.values()].map((text): unknown => JSON.parse(text))), [read]);
  return {
    hasMessages: all === undefined ? undefined : all.length > 0,
    messages: all?.length === 0 ? [] : verdicts.error === null || !hasFilter ? messages : undefined,
    error: hasFilter && verdicts.error !== null ? withMeant(reasonOf(failureText(verdicts.error)), names) : undefined,
    problems: useMemo(() => misspeltNames(filter, [...read.values()]), [filter, read]),
    payloads: read,
    types: [...new Set((all ?? []).map(({ eventType }) => eventType))].toSorted(),
    names,
  };
}

/** Removes the field name from the reason, because it is shown above. */
const reasonOf = (text: string): string => text.replace(/^.*?\bfilter\b:? /i, '');

/** A name without its object is probably meant to be a member of the payload. */
function withMeant(reason: string, names: readonly string[]): string {
  const unknown = /unknown variable:? (\w+)/i.exec(reason)?.[1];
  const meant = unknown === undefined ? undefined : names.find((name) => name.endsWith(`.${unknown}`));
  // The service can only explain how payload values are named; the messages show which of them exist.
  return meant === undefined ? reason : `${reason.split('; ', 1)[0]}. Did you mean ${meant.replace('.*', '[0]')}?`;
}
