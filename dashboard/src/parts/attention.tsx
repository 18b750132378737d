import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type ApiKey, type Backlog, type MachineCredential } from '../api/client.ts';
import { countText } from '../lib/bounded-count.ts';
import type { Search } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { useFailingReceivers } from './failing-receivers.tsx';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';
import { SubscriptionState } from './subscription-state.tsx';
import { Time } from './time.tsx';
import { Unread } from './unread.tsx';
import { useAway } from './use-away.ts';

/** A delivery is tried within seconds: one that waits so long has nobody to try it, or is held. */
const LONG_MS = 5 * 60_000;
/** So long before its end a credential is told of. */
const SOON_MS = 14 * 86_400_000;
/** So many subscriptions are named; the list has the others. */
const NAMED = 10;

/** All that needs a person. Each part asks for itself: no answer waits for another. */
export function Attention({ channelId }: { channelId: string | undefined }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const left = useQuery({
    queryKey: channelId === undefined ? [path, 'backlog'] : [path, 'backlog', channelId],
    queryFn: () => api.stats.getBacklog({ channelId }, at),
    refetchInterval: 3_000,
  });
  const failing = useQuery({
    queryKey: [path, 'failing-subscriptions', channelId],
    queryFn: () => api.subscriptions.list({ channelId, failing: 'true', limit: NAMED }, at).page(),
    refetchInterval: 10_000,
  });
  const ofChannel = channelId === undefined ? {} : { channel: channelId };
  const { away, hasPage, ...service } = useAway(left.data?.service);
  const ending = useExpiring();
  const expiring = (ending.data ?? []).filter(endsSoon);
  const receivers = useFailingReceivers(channelId);
  const troubled = failing.data?.data ?? [];
  const oldest = left.data?.pending.oldestAt;
  // By the time of the answer, which changes with each one: an answer that is the same draws nothing anew.
  const waitsMs = oldest === undefined ? 0 : left.dataUpdatedAt - Date.parse(oldest);
  const letters = left.data?.openDeadLetters;
  const isKnown =
    left.isSuccess && failing.isSuccess && receivers.isKnown && service.isKnown && (!may('admin') || ending.isSuccess);
  const isFailed = left.isError || failing.isError || receivers.isFailed || service.isFailed || ending.isError;
  const found: ReactNode[] = [
    ...away.map((text) => (
      <p key={text} className="box">
        <State of="failed" word={text} /> {hasPage && <HereLink to="/service">{t.overview.look}</HereLink>}
      </p>
    )),
    ...(waitsMs > LONG_MS && left.data !== undefined
      ? [
          <p key="waits" className="box">
            <State of="open" word={t.overview.waitLong(countText(left.data.pending), durationText(waitsMs, t.units))} />{' '}
            <HereLink to="/deliveries" search={{ status: 'pending', ...ofChannel }}>
              {t.overview.look}
            </HereLink>
          </p>,
        ]
      : []),
    ...(letters !== undefined && letters.count > 0
      ? [
          <p key="letters" className="box">
            <State of="open" word={t.overview.openLetters(countText(letters))} />{' '}
            <HereLink to="/dead-letters" search={ofChannel}>
              {t.overview.look}
            </HereLink>
          </p>,
        ]
      : []),
    ...receivers.rows,
    ...troubled.map((row) => (
      <p key={row.id} className="box">
        <SubscriptionState of={row} /> <HereLink to={`/subscriptions/${row.id}`}>{row.name}</HereLink>{' '}
        <span className="muted">
          {row.status === 'disabled'
            ? t.subscriptions.isDisabled[row.disabledReason ?? 'unknown']
            : row.circuit.state === 'closed'
              ? t.overview.secretUnreadable
              : t.subscriptions.isOpen}
        </span>
      </p>
    )),
    ...(receivers.more === undefined
      ? []
      : [
          <p key="more receivers">
            <HereLink to={receivers.more} search={ofChannel}>
              {t.overview.more[receivers.more]}
            </HereLink>
          </p>,
        ]),
    ...(failing.data?.pagination.hasMore === true
      ? [
          <p key="more">
            <HereLink to="/subscriptions" search={{ failing: 'true', ...ofChannel }}>
              {t.overview.moreStopped}
            </HereLink>
          </p>,
        ]
      : []),
    ...expiring.map(({ row, page }) => (
      <p key={row.id} className="box">
        <State of="open" word={t.overview.expires} />{' '}
        <HereLink to={page} search={{ open: row.id }}>
          {row.name}
        </HereLink>{' '}
        {row.expiresAt !== undefined && <Time at={row.expiresAt} />}
      </p>
    )),
  ];
  return (
    <section className="section" aria-label={t.overview.attention}>
      <h2>{t.overview.attention}</h2>
      {found}
      {[left, failing].map((each, place) => each.data === undefined && <Unread key={place} of={each} />)}
      {found.length === 0 && isKnown && (
        <p className="box">
          <State of="delivered" word={t.overview.allWell} />
        </p>
      )}
      {found.length === 0 && isFailed && <p className="box">{t.overview.notKnown}</p>}
      {left.data !== undefined && <Left of={left.data} now={left.dataUpdatedAt} within={ofChannel} />}
    </section>
  );
}

type Expiring = { row: ApiKey | MachineCredential; page: '/api-keys' | '/machine-credentials' };

/** Active credentials of this place, for those who can make others. */
function useExpiring() {
  const { at, path, may } = useHere();
  return useQuery({
    queryKey: [path, 'expiring'],
    queryFn: async (): Promise<Expiring[]> => {
      const [keys, machines] = await Promise.all([
        api.apiKeys.list({ status: 'active', limit: 100 }, at).page(),
        api.machineCredentials.list({ status: 'active', limit: 100 }, at).page(),
      ]);
      return [
        ...keys.data.map((row) => ({ row, page: '/api-keys' as const })),
        ...machines.data.map((row) => ({ row, page: '/machine-credentials' as const })),
      ];
    },
    refetchInterval: 60_000,
    enabled: may('admin'),
  });
}

const endsSoon = ({ row: { expiresAt } }: Expiring): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) < Date.now() + SOON_MS;

/** Deliveries that are under way, and for how long the oldest has been. */
function Left({ of: { pending, retrying }, now, within }: { of: Backlog; now: number; within: Search }) {
  const t = useTexts();
  const oldest = [pending.oldestAt, retrying.oldestAt].filter((each) => each !== undefined).toSorted()[0];
  return (
    <p className="box">
      <HereLink to="/deliveries" search={{ status: 'pending', ...within }}>
        {t.figures.waiting}: {countText(pending)}
      </HereLink>
      {' · '}
      <HereLink to="/deliveries" search={{ status: 'retrying', ...within }}>
        {t.figures.retrying(countText(retrying))}
      </HereLink>
      {' · '}
      <span className="muted">
        {oldest === undefined
          ? t.figures.nothingWaits
          : t.figures.oldest(durationText(Math.max(0, now - Date.parse(oldest)), t.units))}
      </span>
    </p>
  );
}
