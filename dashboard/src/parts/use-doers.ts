import { useQueries } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { NamePair } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';
import { FULL } from './use-found.ts';

const NAMES_FOR_MS = 60_000;
const pairOf = ({ id, name }: { id: string; name: string }): NamePair => [id, name];

/**
 * Returns possible actors by name: the newest users of the organisation, and the newest keys and credentials of the
 * environment. Others, such as those of other environments and former members, appear only as ids.
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
