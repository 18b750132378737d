import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { askTogether } from '../lib/ask-together.ts';
import { useHere } from '../lib/session.ts';
import { shortId } from '../ui/copy.tsx';
import { FULL } from './use-found.ts';
import { FIRST_NAMES } from './use-names.ts';

/** Names change seldom, and a change on this page reads all of them anew. */
const NAMES_FOR_MS = 60_000;

type Thing = { id: string; name: string };
type Known = { kind: keyof typeof FIRST_NAMES; id: string };

const PREFIXES: Readonly<Record<string, Known['kind']>> = { chn: 'channel', sub: 'subscription', wfl: 'workflow' };

/** The kind of a thing whose name can be read, by the prefix of its ID. */
export const namedKindOf = (id: string): Known['kind'] | undefined => PREFIXES[id.split('_')[0] ?? ''];

/**
 * The name of a thing of the place, its id until the name is known, and `Deleted subscription …mm8rvk` where it is gone. A page that has
 * read the first things for its choices knows most names. All others that are in view are asked for in one request.
 */
export function useThingName(of: Known): string {
  return useThing(of).name;
}

/** The same, and whether the service has no such thing any more. */
export function useThing({ kind, id }: Known): { name: string; isGone: boolean } {
  const { at, path } = useHere();
  const { key, read } = FIRST_NAMES[kind];
  const first = useQuery<readonly Thing[]>({
    queryKey: [path, key],
    queryFn: () => read(at),
    // Kept up where a page has read them, and read for no name alone.
    enabled: ({ state }) => state.data !== undefined,
    staleTime: NAMES_FOR_MS,
  });
  const known = first.data?.find((each) => each.id === id)?.name;
  const found = useQuery({
    queryKey: [path, 'name', kind, id],
    queryFn: () =>
      askTogether(`${path} ${kind}`, id, async (ids) => {
        const page = { ids, limit: FULL };
        const lean = { ...page, definitions: 'false' } as const;
        const { data }: { data: readonly Thing[] } =
          kind === 'subscription'
            ? await api.subscriptions.list(page, at).page()
            : await (kind === 'channel' ? api.channels : api.workflows).list(lean, at).page();
        return new Map(data.map((each) => [each.id, each.name]));
      }),
    // One that was made since is not among the first ones, however few there are.
    enabled: id !== '' && known === undefined && first.fetchStatus === 'idle',
    staleTime: NAMES_FOR_MS,
  });
  const isGone = known === undefined && found.data === null;
  return { name: known ?? (isGone ? `Deleted ${kind} ${shortId(id)}` : (found.data ?? id)), isGone };
}

/** Names of things that a page has shown, or has among its choices, for texts; the id of any other. */
export function useKnownNames(): (of: Known) => string {
  const client = useQueryClient();
  const { path } = useHere();
  return ({ kind, id }) => {
    const first = client.getQueryData<readonly Thing[]>([path, FIRST_NAMES[kind].key]);
    return (
      first?.find((each) => each.id === id)?.name ?? client.getQueryData<string | null>([path, 'name', kind, id]) ?? id
    );
  };
}
