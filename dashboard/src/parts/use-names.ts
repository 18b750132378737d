import { useQuery } from '@tanstack/react-query';
import { api, type Channel, type Subscription, type Workflow } from '../api/client.ts';
import type { NamePair } from '../lib/list-filter.ts';
import { type Here, useHere } from '../lib/session.ts';
import { FULL } from './use-found.ts';

type Named<T> = {
  all: readonly T[];
  choices: readonly NamePair[];
  /** There may be more, so `all` does not hold every choice. */
  isFull: boolean;
  isPending: boolean;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
};

type At = Here['at'];

/** How the first things of each kind are loaded, and a part of the query key under which they are cached. */
export const FIRST_NAMES = {
  channel: {
    key: 'channel-names',
    read: async (at: At) => (await api.channels.list({ definitions: 'false', limit: FULL }, at).page()).data,
  },
  subscription: {
    key: 'subscription-names',
    read: async (at: At) => (await api.subscriptions.list({ limit: FULL }, at).page()).data,
  },
  workflow: {
    key: 'workflow-names',
    read: async (at: At) => (await api.workflows.list({ definitions: 'false', limit: FULL }, at).page()).data,
  },
} as const;

/** Returns the newest channels of the environment, for choices. Names in lists come from ThingName. */
export function useChannels(): Named<Channel> {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, FIRST_NAMES.channel.key],
    queryFn: () => FIRST_NAMES.channel.read(at),
    staleTime: 5_000,
  });
  return namesOf(found);
}

/** Returns the newest subscriptions of the environment, for choices. */
export function useSubscriptions(): Named<Subscription> {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, FIRST_NAMES.subscription.key],
    queryFn: () => FIRST_NAMES.subscription.read(at),
    staleTime: 5_000,
  });
  return namesOf(found);
}

/** Returns the newest workflows of the environment, for choices. */
export function useWorkflows(): Named<Workflow> {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, FIRST_NAMES.workflow.key],
    queryFn: () => FIRST_NAMES.workflow.read(at),
    staleTime: 5_000,
  });
  return namesOf(found);
}

function namesOf<T extends { id: string; name: string }>(
  found: Pick<Named<T>, 'isPending' | 'error' | 'refetch'> & { data: readonly T[] | undefined },
): Named<T> {
  const all = found.data ?? [];
  return {
    all,
    choices: all.map(({ id, name }) => [id, name]),
    isFull: all.length >= FULL,
    isPending: found.isPending,
    // Loaded names stay, so a later failure does not concern the page.
    isError: found.error !== null && found.data === undefined,
    error: found.error,
    refetch: found.refetch,
  };
}
