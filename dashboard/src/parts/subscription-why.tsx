import { useQuery } from '@tanstack/react-query';
import { api, type Subscription } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from './doer.tsx';
import { HereLink } from './link.tsx';
import { Time } from './time.tsx';

/** Clocks of two processes differ by less. */
const MOMENT_MS = 10_000;

/** Why a subscription stands as it does, in a sentence. `isFailing`: its newest tries have all failed. */
export function SubscriptionWhy({ of: row, isFailing }: { of: Subscription; isFailing: boolean }) {
  const t = useTexts();
  if (row.secretUnreadableSince !== undefined)
    return (
      <>
        {t.held.secret_unreadable} ({t.common.since} <Time at={row.secretUnreadableSince} />)
      </>
    );
  if (row.status === 'paused')
    return (
      <>
        {t.subscriptions.isPaused} <Since of={row} />
      </>
    );
  if (row.status === 'disabled')
    return (
      <>
        {t.subscriptions.isDisabled[row.disabledReason ?? 'unknown']} <Since of={row} />
      </>
    );
  if (row.circuit.state === 'closed' && isFailing)
    return (
      <>
        {t.subscriptions.failsWhy}{' '}
        <HereLink to="/deliveries" search={{ subscription: row.id }}>
          {t.overview.look}
        </HereLink>
      </>
    );
  if (row.circuit.state === 'closed') return <>{t.subscriptions.isWell}</>;
  return (
    <>
      {t.subscriptions.isOpen}
      {row.circuit.openedAt !== undefined && (
        <>
          {' '}
          {t.subscriptions.openedAt} <Time at={row.circuit.openedAt} />.
        </>
      )}
      {row.circuit.nextProbeAt !== undefined && (
        <>
          {' '}
          {t.subscriptions.nextProbe} <Time at={row.circuit.nextProbeAt} />.
        </>
      )}
    </>
  );
}

/** Since when it has its status, and who has paused it, for those who may read that. */
function Since({ of: { id, status, statusChangedAt } }: { of: Subscription }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const changed = Date.parse(statusChangedAt ?? '');
  const found = useQuery({
    queryKey: [path, 'paused by', id, statusChangedAt],
    queryFn: async () => {
      // The entry is written with the change, by whichever process: its time is the same but for a moment.
      const [since, until] = [-MOMENT_MS, MOMENT_MS].map((by) => new Date(changed + by).toISOString());
      const which = { targetId: id, action: 'subscription.updated', since, until, limit: 20 } as const;
      const { data } = await api.audit.list(which, at).page();
      return data.find(({ after }) => after?.['status'] === 'paused') ?? null;
    },
    enabled: may('admin') && status === 'paused' && statusChangedAt !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { failure: 'own' },
  });
  if (statusChangedAt === undefined) return null;
  const doer = found.data?.actor.id;
  return (
    <>
      ({t.common.since} <Time at={statusChangedAt} />
      {doer !== undefined && (
        <>
          , {t.subscriptions.pausedBy} <Doer id={doer} />
        </>
      )}
      )
    </>
  );
}
