import { useQuery } from '@tanstack/react-query';
import { type LucideIcon, Split, Workflow } from 'lucide-react';
import { createElement, Fragment, type ReactNode } from 'react';
import { api, type ApiKey, type DeadLetterGroups, isApiError, type MachineCredential } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { dateText, durationText, shareText } from '../../lib/format.ts';
import type { Search } from '../../lib/list-filter.ts';
import { sinceOf } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { counted, ERRORS, GIVE_UP_REASONS } from '../../lib/words.ts';
import { Ago, useZone } from '../../parts/moment.tsx';
import { Name, Whose } from '../../parts/names.tsx';
import type { Tone } from '../../ui/status.tsx';
import { useBacklog } from './use-open-letters.ts';

/** A delivery is attempted within seconds: one that waits so long has nobody to attempt it, or is on hold. */
const LONG_MS = 5 * 60_000;
/** So long before its end a credential is told of. */
const SOON_MS = 14 * 86_400_000;
/** Fewer attempts in an hour say little. */
const MANY_ATTEMPTS = 20;
/** So many subscriptions and workflows are named; their lists have the others. */
const NAMED = 10;
/** The newest subscriptions of a channel whose figures are read: as many as of all channels. */
const MOST_OF_CHANNEL = 100;

export type Problem = {
  key: string;
  tone: Tone;
  name: ReactNode;
  /** The page of what it is about, and whether that is an endpoint or a workflow. */
  of?: { to: string; icon: LucideIcon };
  why: ReactNode;
  /** How many dead letters there were in each of 24 steps. */
  counts?: readonly number[] | undefined;
  /** The figures that say how much there is to do, the most important first. */
  figures?: readonly string[];
  since?: string | undefined;
  action?: { name: string; to: string; search?: Search };
};

type Group = DeadLetterGroups['groups'][number];

/** What is known of one subscription or workflow that has a problem: everything about it is one row. */
type Troubled = {
  subscriptionId?: string | undefined;
  workflowId?: string | undefined;
  failingSince?: string | undefined;
  /** Of the attempts of the last hour, where most of them have failed. */
  failedShare?: string | undefined;
  health?: ReturnType<typeof healthOf> | undefined;
  letters: number;
  /** Deliveries that wait for it. */
  waiting?: { count: number; isMore: boolean } | undefined;
  firstAt?: string | undefined;
  lastAt?: string | undefined;
  counts?: readonly number[];
  /** The cause of most of its dead letters. */
  cause?: Group;
};

/** Everything that needs a person. Each part asks for itself: no answer waits for another. */
export function useProblems(channelId: string | undefined) {
  const { at, path, may, organisation } = useHere();
  const zone = useZone();
  const ofChannel: Search = channelId === undefined ? {} : { channel: channelId };
  const backlog = useBacklog(channelId);
  const service = useQuery({
    queryKey: ['service', organisation.id],
    queryFn: () => api.service.get({ place: { organisationId: organisation.id } }),
    // Another organisation than the first one is refused, and stays so.
    refetchInterval: ({ state }) => (isApiError(state.error, 'FORBIDDEN') ? false : 15_000),
    enabled: may('admin'),
    retry: false,
    meta: { failure: 'none' },
  });
  const stopped = useQuery({
    queryKey: [path, 'failing-subscriptions', channelId],
    queryFn: () => api.subscriptions.list({ channelId, failing: 'true', limit: NAMED }, at).page(),
    refetchInterval: 10_000,
  });
  const groups = useQuery({
    queryKey: [path, 'dead-letter-groups', { channelId }],
    queryFn: () => api.deadLetters.group({ channelId }, at),
    refetchInterval: 10_000,
  });
  const figures = useQuery({
    queryKey: [path, 'subscription-figures', 'newest', channelId],
    queryFn: async () => {
      const since = sinceOf('1h');
      if (channelId === undefined) return (await api.stats.getSubscriptions({ since }, at)).subscriptions;
      // Figures know no channel. Asked for none by its ID, they would be those of the newest ones of all channels.
      const { data } = await api.subscriptions.list({ channelId, limit: MOST_OF_CHANNEL }, at).page();
      const subscriptionIds = data.map(({ id }) => id);
      if (subscriptionIds.length === 0) return [];
      return (await api.stats.getSubscriptions({ subscriptionIds, since }, at)).subscriptions;
    },
    refetchInterval: 30_000,
  });
  // The figures are those of the newest subscriptions, and one that was stopped may be older.
  const older = (stopped.data?.data ?? [])
    .map(({ id }) => id)
    .filter((id) => figures.data?.every(({ subscriptionId }) => subscriptionId !== id) === true);
  const olderFigures = useQuery({
    queryKey: [path, 'subscription-figures', older],
    queryFn: async () => (await api.stats.getSubscriptions({ subscriptionIds: older }, at)).subscriptions,
    refetchInterval: 30_000,
    enabled: older.length > 0,
  });
  const credentials = useExpiring();
  const oldest = backlog.data?.pending.oldestAt;
  // By the time of the answer, which changes with each one: an answer that is the same draws nothing anew.
  const isLong = oldest !== undefined && backlog.dataUpdatedAt - Date.parse(oldest) > LONG_MS;
  // What is on hold waits for its subscription, and is a matter of that one.
  const due = useQuery({
    queryKey: [path, 'long-due', channelId],
    queryFn: () =>
      api.deliveries
        .list({ channelId, status: 'pending', held: 'false', responseBodies: 'false', limit: 100 }, at)
        .page(),
    refetchInterval: 10_000,
    enabled: isLong,
  });

  const troubled = new Map<string, Troubled>();
  const add = (id: string, part: Partial<Troubled>): void => {
    troubled.set(id, { letters: 0, ...troubled.get(id), ...part });
  };
  const allFigures = [...(figures.data ?? []), ...(olderFigures.data ?? [])];
  for (const row of stopped.data?.data ?? []) {
    const own = allFigures.find(({ subscriptionId }) => subscriptionId === row.id);
    add(row.id, { subscriptionId: row.id, health: healthOf(row, { isFailing: true }), waiting: own?.waiting });
  }
  for (const { subscriptionId, failingSince } of figures.data ?? [])
    if (failingSince !== undefined) add(subscriptionId, { subscriptionId, failingSince });
  // An endpoint that limits its requests takes some attempts, so it does not count as failing although most attempts fail.
  for (const { subscriptionId, totals, waiting: left } of figures.data ?? []) {
    const attempts = totals.delivered + totals.failedAttempts;
    const isMost = attempts >= MANY_ATTEMPTS && totals.failedAttempts * 2 > attempts;
    // Once nothing waits any more, it is over.
    if (troubled.has(subscriptionId) || !isMost || left.count === 0) continue;
    add(subscriptionId, { subscriptionId, failedShare: shareText(totals.failedAttempts, attempts), waiting: left });
  }
  // The largest group of each comes first.
  for (const group of groups.data?.groups ?? []) {
    const id = group.subscriptionId ?? group.workflowId;
    if (id === undefined) continue;
    const before = troubled.get(id);
    add(id, {
      subscriptionId: group.subscriptionId,
      workflowId: group.workflowId,
      letters: (before?.letters ?? 0) + group.count,
      firstAt: [before?.firstAt, group.firstFailedAt].filter((each) => each !== undefined).toSorted()[0],
      lastAt: [before?.lastAt, group.lastFailedAt]
        .filter((each) => each !== undefined)
        .toSorted()
        .at(-1),
      counts: group.counts.map((value, place) => value + (before?.counts?.[place] ?? 0)),
      cause: before?.cause ?? group,
    });
  }
  const all = [...troubled.entries()].toSorted(
    ([, one], [, other]) => severity(other) - severity(one) || other.letters - one.letters,
  );
  const isBounded = groups.data?.isExact === false;

  const waiting = due.data?.data ?? [];
  const isMore = due.data?.pagination.hasMore === true;
  // The rows come newest first: behind a full page there are older ones.
  const first = isMore ? oldest : waiting.at(-1)?.createdAt;
  const waitsMs = first === undefined ? 0 : due.dataUpdatedAt - Date.parse(first);
  const problems: Problem[] = [
    ...serviceProblems(service.data?.reasons, backlog.data?.service),
    ...(isLong && waitsMs > LONG_MS
      ? [
          {
            key: 'backlog',
            tone: 'retrying' as const,
            name: 'Backlog',
            why: `${waiting.length}${isMore ? '+' : ''} deliveries due, oldest waiting ${durationText(waitsMs)}`,
            since: first,
            action: {
              name: 'View backlog',
              to: '/deliveries',
              search: { status: 'pending', held: 'false', ...ofChannel },
            },
          },
        ]
      : []),
    ...all.slice(0, NAMED).map(([id, each]) => problemOf(id, each, ofChannel, isBounded)),
    ...credentials.rows.map(
      ({ row, page }): Problem => ({
        key: row.id,
        tone: 'scheduled',
        name: row.name,
        why: `${page === '/api-keys' ? 'API key' : 'Machine credential'} expires ${row.expiresAt === undefined ? '' : dateText(row.expiresAt, Date.now(), zone)}`,
        action: { name: 'Review', to: page, search: { open: row.id } },
      }),
    ),
  ];
  const queries = [backlog, stopped, groups, figures];
  return {
    problems,
    isKnown: queries.every(({ isSuccess }) => isSuccess) && (!may('admin') || credentials.isKnown),
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    retry: () => void Promise.all(queries.map((query) => query.refetch())),
    more:
      all.length > NAMED || stopped.data?.pagination.hasMore === true
        ? { to: '/subscriptions', search: { failing: 'true', ...ofChannel } as Search }
        : undefined,
  };
}

/** What fails now stands before what only has dead letters. */
const severity = ({ failingSince, health }: Troubled): number =>
  failingSince !== undefined || health?.tone === 'failed' ? 2 : health !== undefined ? 1 : 0;

function problemOf(id: string, row: Troubled, ofChannel: Search, isBounded: boolean): Problem {
  const { subscriptionId, workflowId, failingSince, failedShare, health, letters, waiting, counts, cause } = row;
  const isStopped = health !== undefined && health.word !== 'Failing' && health.word !== 'Active';
  const isFailing = !isStopped && (failingSince !== undefined || health?.tone === 'failed');
  const of: Search = subscriptionId === undefined ? { workflow: workflowId ?? '' } : { subscription: subscriptionId };
  const since = failingSince ?? row.firstAt;
  const said = cause === undefined ? undefined : causeText(cause);
  return {
    key: id,
    tone: isFailing ? 'failed' : (health?.tone ?? (failedShare !== undefined && letters === 0 ? 'retrying' : 'failed')),
    name:
      subscriptionId === undefined
        ? createElement(Whose, { of: { workflowId } })
        : createElement(Name, { kind: 'subscription', id: subscriptionId }),
    of:
      subscriptionId === undefined
        ? { to: `/workflows/${workflowId ?? ''}`, icon: Workflow }
        : { to: `/subscriptions/${subscriptionId}`, icon: Split },
    why: isStopped
      ? [said, health.why].filter((each) => each !== undefined).join('. ')
      : isFailing
        ? said === undefined
          ? 'All recent attempts failed'
          : `${said} on every recent attempt`
        : failedShare !== undefined
          ? [`${failedShare} of attempts failed in the last hour`, said].filter((each) => each !== undefined).join(', ')
          : row.lastAt !== undefined
            ? createElement(Fragment, null, `${said ?? 'Failed'}, last `, createElement(Ago, { at: row.lastAt }))
            : (said ?? 'Failed'),
    counts,
    figures: [
      // What waits for a subscription that gets nothing is more than what was given up before.
      ...((isStopped || failedShare !== undefined) && waiting !== undefined && waiting.count > 0
        ? [`${boundedText(waiting)} waiting`]
        : []),
      ...(letters === 0
        ? []
        : [isBounded ? `${letters.toLocaleString('en-US')}+ dead letters` : counted(letters, 'dead letter')]),
    ],
    since,
    action:
      isFailing || failedShare !== undefined
        ? { name: 'View failures', to: '/deliveries', search: { ...of, ...ofChannel, status: 'failed,retrying' } }
        : isStopped && subscriptionId !== undefined
          ? { name: 'Review', to: `/subscriptions/${subscriptionId}` }
          : { name: 'View dead letters', to: '/dead-letters', search: { ...of, ...ofChannel } },
  };
}

const causeText = ({ reason, errorStatus, errorClass }: Group): string =>
  errorStatus !== undefined
    ? `HTTP ${errorStatus}`
    : errorClass === undefined
      ? (GIVE_UP_REASONS[reason] ?? reason)
      : ERRORS[errorClass];

type Reasons = Awaited<ReturnType<typeof api.service.get>>['reasons'];
type Parts = Awaited<ReturnType<typeof api.stats.getBacklog>>['service'];

/** What is wrong with Posthorn itself: all of it for operators, and for everybody else that nothing is delivered. */
function serviceProblems(reasons: Reasons | undefined, parts: Parts | undefined): Problem[] {
  if (reasons !== undefined)
    return (
      reasons
        // The backlog has a row of its own, with the way to its rows.
        .filter(({ code }) => code !== 'backlog_old')
        .map(({ code, verdict, message }) => ({
          key: code,
          tone: verdict === 'down' ? ('failed' as const) : ('retrying' as const),
          name: 'Posthorn',
          why: message,
          action: { name: 'System status', to: '/service' },
        }))
    );
  return [
    ...(parts?.worker === 'down'
      ? [
          {
            key: 'worker',
            tone: 'failed' as const,
            name: 'Posthorn',
            why: 'No workers online. Nothing is being delivered.',
          },
        ]
      : []),
    ...(parts?.temporal === 'down'
      ? [
          {
            key: 'temporal',
            tone: 'retrying' as const,
            name: 'Posthorn',
            why: 'Temporal is unreachable. Retries are delayed.',
          },
        ]
      : []),
  ];
}

type Expiring = { row: ApiKey | MachineCredential; page: '/api-keys' | '/machine-credentials' };

/** Credentials of this place that expire soon, for those who can create others. */
function useExpiring(): { rows: readonly Expiring[]; isKnown: boolean } {
  const { at, path, may } = useHere();
  const found = useQuery({
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
  const endsSoon = ({ row: { expiresAt } }: Expiring): boolean =>
    expiresAt !== undefined && Date.parse(expiresAt) < Date.now() + SOON_MS;
  return { rows: (found.data ?? []).filter(endsSoon), isKnown: found.isSuccess };
}
