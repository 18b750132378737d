import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type DeadLetter } from '../../api/client.ts';
import { useKeys } from '../../lib/keys.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { isRunOver, stateOfRun } from '../../lib/run-words.ts';
import { useHere } from '../../lib/session.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { useActs } from '../../parts/acts.tsx';
import { useOneAtATime } from '../../parts/one-at-a-time.ts';
import type { Tone } from '../../ui/status.tsx';

/** Returns a dead letter and its actions. `r` replays it. */
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

const EVERY_MS = 2_000;

/**
 * Returns the outcome of a replayed dead letter: its delivery or run is attempted again under the same id. Undefined
 * until it is known.
 */
export function useReplayed(letter: DeadLetter): { tone: Tone; text: string } | undefined {
  const { at, path } = useHere();
  const { status, deliveryId, runId } = letter;
  const own = { retry: false, meta: { failure: 'own' } } as const;
  const delivery = useQuery({
    queryKey: [path, 'delivery', deliveryId],
    queryFn: () => api.deliveries.get(deliveryId ?? '', at),
    enabled: status === 'replayed' && deliveryId !== undefined,
    refetchInterval: ({ state: { data } }) => data?.status !== 'delivered' && data?.status !== 'failed' && EVERY_MS,
    ...own,
  });
  const run = useQuery({
    queryKey: [path, 'replayed run', runId],
    queryFn: () => api.runs.get(runId ?? '', at),
    enabled: status === 'replayed' && runId !== undefined,
    refetchInterval: ({ state: { data } }) => (data === undefined || !isRunOver(data)) && EVERY_MS,
    ...own,
  });
  if (status !== 'replayed') return undefined;
  const again = (is: { status: string }): string => (is.status === 'failed' ? ' again' : '');
  if (delivery.data !== undefined) {
    const { tone, word } = stateOfDelivery(delivery.data);
    return { tone, text: `its delivery ${verbOf(word)}${again(delivery.data)}` };
  }
  if (run.data === undefined) return undefined;
  const { tone, word } = stateOfRun(run.data);
  return { tone, text: `its run ${verbOf(word)}${again(run.data)}` };
}

/** Returns `failed`, `was delivered` or `is pending`. */
const verbOf = (word: string): string =>
  `${word === 'Failed' || word === 'Completed' ? '' : word === 'Delivered' ? 'was ' : 'is '}${word.toLowerCase()}`;
