import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type DeadLetterGroups, type SubscriptionStats } from '../api/client.ts';
import { countText } from '../lib/bounded-count.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import type { Texts } from '../texts/en.ts';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';
import { Whose } from './thing-name.tsx';

/** So many are named; the pages of dead letters and subscriptions have the others. */
const NAMED = 5;
/** The newest subscriptions of a channel whose figures are read: as many as of all channels. */
const MOST_OF_CHANNEL = 100;

type Group = DeadLetterGroups['groups'][number];

/** A subscription, or a workflow, that fails: the newest tries of it, and what was given up of it. */
type FailingReceiver = {
  subscriptionId?: string | undefined;
  workflowId?: string | undefined;
  isFailing: boolean;
  givenUp: number;
  /** The cause of most of them. */
  cause?: Group;
};

/** Receivers that take nothing at present stand first, then those with the most dead letters. */
function failingReceivers(groups: readonly Group[], figures: SubscriptionStats['subscriptions']): FailingReceiver[] {
  const found = new Map<string, FailingReceiver>();
  for (const { subscriptionId, failingSince } of figures)
    if (failingSince !== undefined) found.set(subscriptionId, { subscriptionId, isFailing: true, givenUp: 0 });
  // The largest group of each comes first.
  for (const group of groups) {
    const { subscriptionId, workflowId, count } = group;
    const id = subscriptionId ?? workflowId;
    if (id === undefined) continue;
    const before = found.get(id) ?? { subscriptionId, workflowId, isFailing: false, givenUp: 0 };
    found.set(id, { ...before, givenUp: before.givenUp + count, cause: before.cause ?? group });
  }
  return [...found.values()].toSorted(
    (one, other) => Number(other.isFailing) - Number(one.isFailing) || other.givenUp - one.givenUp,
  );
}

const causeText = ({ reason, errorStatus, errorClass }: Group, t: Texts): string =>
  errorStatus !== undefined
    ? t.deadLetters.answered(errorStatus)
    : errorClass === undefined
      ? t.reasons[reason]
      : t.errorClasses[errorClass];

type FailingReceivers = {
  rows: ReactNode[];
  /** The list that has the others. Undefined: there are none. */
  more: '/dead-letters' | '/subscriptions' | undefined;
  isKnown: boolean;
  isFailed: boolean;
};

/** The receivers that fail, by name, as rows of what needs a person: those of a channel, or of all. */
export function useFailingReceivers(channelId: string | undefined): FailingReceivers {
  const t = useTexts();
  const { at, path } = useHere();
  const ofChannel = channelId === undefined ? {} : { channel: channelId };
  const groups = useQuery({
    queryKey: [path, 'dead-letter-groups', { channelId }],
    queryFn: () => api.deadLetters.group({ channelId }, at),
    refetchInterval: 10_000,
  });
  const figures = useQuery({
    queryKey: [path, 'subscription-figures', 'newest', channelId],
    queryFn: async () => {
      if (channelId === undefined) return (await api.stats.getSubscriptions({}, at)).subscriptions;
      // Figures know no channel. Asked for none by its id, they would be those of the newest ones of all channels.
      const { data } = await api.subscriptions.list({ channelId, limit: MOST_OF_CHANNEL }, at).page();
      const subscriptionIds = data.map(({ id }) => id);
      if (subscriptionIds.length === 0) return [];
      return (await api.stats.getSubscriptions({ subscriptionIds }, at)).subscriptions;
    },
    refetchInterval: 30_000,
  });
  const all = failingReceivers(groups.data?.groups ?? [], figures.data ?? []);
  const others = all.slice(NAMED);
  const isMore = groups.data?.isComplete === false;
  return {
    more: others.some(({ givenUp }) => givenUp > 0) ? '/dead-letters' : others[0] && '/subscriptions',
    isKnown: groups.isSuccess && figures.isSuccess,
    isFailed: groups.isError || figures.isError,
    rows: all.slice(0, NAMED).map((row) => {
      const { subscriptionId, workflowId, isFailing, givenUp, cause } = row;
      const ofThis = subscriptionId === undefined ? { workflow: workflowId ?? '' } : { subscription: subscriptionId };
      return (
        <p key={subscriptionId ?? workflowId} className="box">
          <State of="failed" word={isFailing ? t.subscriptions.failsNow : t.states.failed} />{' '}
          <HereLink to={subscriptionId === undefined ? `/workflows/${workflowId}` : `/subscriptions/${subscriptionId}`}>
            <Whose of={row} />
          </HereLink>{' '}
          {cause !== undefined && <span className="muted">{causeText(cause, t)}</span>}{' '}
          {givenUp > 0 && (
            <HereLink to="/dead-letters" search={{ ...ofThis, ...ofChannel }}>
              {t.overview.givenUp(countText({ count: givenUp, isMore }))}
            </HereLink>
          )}{' '}
          {isFailing && (
            <HereLink to="/deliveries" search={{ ...ofThis, ...ofChannel, status: 'failed,retrying' }}>
              {t.overview.itsFailures}
            </HereLink>
          )}
        </p>
      );
    }),
  };
}
