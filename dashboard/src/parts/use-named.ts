import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Named } from '../lib/definition-fields.ts';
import { useHere } from '../lib/session.ts';
import { FULL } from './use-found.ts';

type Choices = readonly (readonly [id: string, name: string])[];

/**
 * Returns things of the environment that a definition may refer to, the newest hundred of each kind. Operations and
 * connections are those of the connector.
 */
export function useNamed(of: Named, connectorId: string): Choices {
  const { at, path, may } = useHere();
  const found = useQuery({
    queryKey: [path, 'named', of, of === 'operations' || of === 'connections' ? connectorId : ''],
    queryFn: async (): Promise<Choices> => {
      const most = { limit: FULL };
      const names = { ...most, definitions: 'false' } as const;
      switch (of) {
        case 'channels':
          return (await api.channels.list(names, at).page()).data.map(({ id, name }) => [id, name]);
        case 'webhooks':
          return (await api.webhooks.list(most, at).page()).data.map(({ id, name }) => [id, name]);
        case 'workflows':
          return (await api.workflows.list(names, at).page()).data.map(({ id, name }) => [id, name]);
        case 'connections':
          return (await api.connections.list(connectorId === '' ? most : { ...most, connectorId }, at).page()).data.map(
            ({ id, name }) => [id, name],
          );
        case 'connectors':
          return (await api.connectors.list(most, at).page()).data.map(({ id, name }) => [id, name]);
        default:
          return (await api.connectors.get(connectorId, at)).operations.map(({ id, name }) => [id, name]);
      }
    },
    enabled: of === 'operations' ? connectorId !== '' : of !== 'connections' || may('admin'),
    staleTime: 60_000,
    retry: false,
  });
  return found.data ?? [];
}
