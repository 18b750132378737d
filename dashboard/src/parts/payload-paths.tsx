import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { payloadPaths } from '../lib/payload-paths.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';

/** Messages whose payloads are looked at. */
const LOOKED_AT = 5;

/** Paths of the newest payloads, each as a search for that value: nobody knows them by heart. */
export function PayloadPaths({ value, channelId }: { value: string; channelId: string | undefined }) {
  const t = useTexts();
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
    <>
      <p>{t.search.paths}</p>
      <ul className="buttons" aria-label={t.search.paths}>
        {paths.map((each) => (
          <li key={each}>
            <HereLink
              to="/search"
              search={{ q: `${each}=${value}`, ...(channelId !== undefined && { channel: channelId }) }}
              className="mono"
            >
              {each}={value}
            </HereLink>
          </li>
        ))}
      </ul>
    </>
  );
}
