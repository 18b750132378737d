import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { FULL } from '../../parts/use-found.ts';

type Use = { id: string; name: string };
const FOR_MS = 60_000;
const REFERENCE = /\bsecrets\.([A-Z][A-Z0-9_]*)/g;

/**
 * Returns the workflows whose current steps use a secret, among the newest hundred: the API has no query for it, and
 * definitions reference secrets only in templates and expressions. Returns undefined until they are loaded, and for a
 * secret that none of the hundred uses if there are more workflows, which may use it.
 */
export function useSecretUses(): (name: string) => readonly Use[] | undefined {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'secret-uses'],
    queryFn: async () => {
      const { data, pagination } = await api.workflows.list({ limit: FULL }, at).page();
      const uses = new Map<string, Use[]>();
      for (const { id, name, steps } of data)
        for (const secret of new Set(
          [...JSON.stringify(steps ?? []).matchAll(REFERENCE)].map(([, each]) => each ?? ''),
        ))
          uses.set(secret, [...(uses.get(secret) ?? []), { id, name }]);
      return { uses, isAll: !pagination.hasMore };
    },
    staleTime: FOR_MS,
    meta: { failure: 'own' },
  });
  const { data } = found;
  return (name) => data?.uses.get(name) ?? (data?.isAll === true ? [] : undefined);
}
