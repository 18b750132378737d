import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { payloadPaths } from '../../lib/payload-paths.ts';
import { useHere } from '../../lib/session.ts';
import { HereLink } from '../../parts/link.tsx';
import { TypeTag } from '../../ui/badge.tsx';

/** How many messages' payloads are read for their paths. */
const LOOKED_AT = 5;

/**
 * Paths in the newest payloads, each of which starts a search for a value there: few users know them by heart, and a
 * search with a path reaches further back.
 */
export function PayloadPaths({ value, channelId }: { value: string; channelId: string | undefined }) {
  const { at, path } = useHere();
  const { data: paths = [] } = useQuery({
    queryKey: [path, 'payload-paths', channelId],
    queryFn: async () => {
      const newest = (await api.messages.listAll({ channelId, limit: LOOKED_AT }, at).page()).data;
      const messages = await Promise.all(newest.map(({ id }) => api.messages.get(id, at)));
      return payloadPaths(messages.map(({ payload }) => payload));
    },
    staleTime: 60_000,
    meta: { failure: 'none' },
  });
  if (paths.length === 0) return null;
  return (
    <ul className="flex flex-wrap justify-center gap-1.5" aria-label="Search by a path">
      {paths.map((each) => (
        <li key={each} className="max-w-full">
          <HereLink
            to="/search"
            search={{ q: `${each}=${value}`, ...(channelId !== undefined && { channel: channelId }) }}
            className="block hover:underline"
          >
            <TypeTag>
              {each}={value}
            </TypeTag>
          </HereLink>
        </li>
      ))}
    </ul>
  );
}
