import { useQueries } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { NamePair } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';
import { FULL } from './use-found.ts';

const NAMES_FOR_MS = 60_000;
const pairOf = ({ id, name }: { id: string; name: string }): NamePair => [id, name];

/**
 * The ones who can act, by name: the newest people of the organisation, and the newest keys and credentials of the place. Others have ids
 * alone: those of other places, and whoever has left.
 */
export function useDoers(): readonly NamePair[] {
  const { at, path, organisation, may } = useHere();
  const enabled = may('admin');
  const most = { limit: FULL };
  const found = useQueries({
    queries: [
      {
        queryKey: ['members', organisation.id, 'choices'],
        queryFn: async () =>
          (await api.members.list(organisation.id, most).page()).data.map(({ userId: id, name }) => ({ id, name })),
        enabled,
        staleTime: NAMES_FOR_MS,
      },
      {
        queryKey: [path, 'api-keys', 'choices'],
        queryFn: async () => (await api.apiKeys.list(most, at).page()).data.map(({ id, name }) => ({ id, name })),
        enabled,
        staleTime: NAMES_FOR_MS,
      },
      {
        queryKey: [path, 'machine-credentials', 'choices'],
        queryFn: async () =>
          (await api.machineCredentials.list(most, at).page()).data.map(({ id, name }) => ({ id, name })),
        enabled,
        staleTime: NAMES_FOR_MS,
      },
    ],
  });
  return found.flatMap(({ data = [] }) => data.map(pairOf));
}
