import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { askTogether } from '../lib/ask-together.ts';
import { useHere } from '../lib/session.ts';
import { shortId } from '../ui/copy.tsx';
import { FULL } from './use-found.ts';
import { FIRST_NAMES } from './use-names.ts';

/** Names rarely change, and a change on this page refetches all of them. */
const NAMES_FOR_MS = 60_000;

type Thing = { id: string; name: string };
type Known = { kind: keyof typeof FIRST_NAMES; id: string };

const PREFIXES: Readonly<Record<string, Known['kind']>> = { chn: 'channel', sub: 'subscription', wfl: 'workflow' };

/** The kind of a thing whose name can be loaded, by the prefix of its id. */
export const namedKindOf = (id: string): Known['kind'] | undefined => PREFIXES[id.split('_')[0] ?? ''];

/**
 * Shows the name of a thing of the environment; its id until the name is known, and `Deleted subscription …mm8rvk` if
 * it is gone. A page that has loaded the first things for its choices knows most names. All others in view are
 * requested together.
 */
export function useThingName(of: Known): string {
  return useThing(of).name;
}

/** Returns the name, and whether the thing no longer exists. */
export function useThing({ kind, id }: Known): { name: string; isGone: boolean } {
  const { at, path } = useHere();
  const { key, read } = FIRST_NAMES[kind];
  const first = useQuery<readonly Thing[]>({
    queryKey: [path, key],
    queryFn: () => read(at),
    // Kept up to date if a page has loaded them, but never loaded for a single name.
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
    // A thing created since then is not among the first ones, however few there are.
    enabled: id !== '' && known === undefined && first.fetchStatus === 'idle',
    staleTime: NAMES_FOR_MS,
  });
  const isGone = known === undefined && found.data === null;
  return { name: known ?? (isGone ? `Deleted ${kind} ${shortId(id)}` : (found.data ?? id)), isGone };
}

/** Returns the names, as texts, of things that a page has shown or has among its choices; the id of any other. */
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
