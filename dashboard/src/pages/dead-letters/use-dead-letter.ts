import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useKeys } from '../../lib/keys.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { useOneAtATime } from '../../parts/one-at-a-time.ts';

/** One dead letter, and what can be done with it. `r` replays it. */
export function useDeadLetter(id: string) {
  const { at, path, may } = useHere();
  const { act, actLater } = useActs();
  const { run } = useOneAtATime();
  const refresh = useRefresh();
  const [isLeaving, setIsLeaving] = useState(false);
  const found = useQuery({
    queryKey: [path, 'dead-letter', id],
    queryFn: () => api.deadLetters.get(id, at),
    refetchInterval: 5_000,
  });
  const canAct = may('developer') && found.data?.status === 'open' && !isLeaving;
  const replay = (): void =>
    run(() =>
      act(
        async () => {
          await api.deadLetters.replay(id, at);
          await refresh();
        },
        { told: 'Replay started' },
      ),
    );
  const discard = (): void => {
    setIsLeaving(true);
    actLater(
      'Discarding in 8 s',
      async () => {
        try {
          await api.deadLetters.discard(id, at);
          await refresh();
        } finally {
          setIsLeaving(false);
        }
      },
      { onUndone: () => setIsLeaving(false), told: () => 'Dead letter discarded' },
    );
  };
  useKeys(canAct ? { r: replay } : {});
  return { found, canAct, replay, discard };
}
