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

/** A delivery is normally attempted within seconds: if one waits this long, no worker attempts it, or it is on hold. */
const LONG_MS = 5 * 60_000;
/** How long before its expiry a credential is reported. */
const SOON_MS = 14 * 86_400_000;
/** Fewer attempts in an hour are not conclusive. */
const MANY_ATTEMPTS = 20;
/** How many subscriptions and workflows are named; their lists have the others. */
const NAMED = 10;
/** The newest subscriptions of a channel whose statistics are loaded: as many as for all channels. */
const MOST_OF_CHANNEL = 100;

export type Problem = {
  key: string;
  tone: Tone;
  name: ReactNode;
  /** The page of the thing that the problem concerns, and whether that is an endpoint or a workflow. */
  of?: { to: string; icon: LucideIcon };
  why: ReactNode;
  /** Number of dead letters in each of 24 time steps. */
  counts?: readonly number[] | undefined;
  /** The figures that show how much work there is, the most important first. */
  figures?: readonly string[];
  since?: string | undefined;
  action?: { name: string; to: string; search?: Search };
};

type Group = DeadLetterGroups['groups'][number];

/** What is known about one subscription or workflow with a problem. All of it becomes one row. */
type Troubled = {
  subscriptionId?: string | undefined;
  workflowId?: string | undefined;
  failingSince?: string | undefined;
  /** Of the attempts in the last hour, if most of them have failed. */
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

/** Returns everything that needs attention. The parts are loaded independently, so none waits for another. */
export function useProblems(channelId: string | undefined) {
  const { at, path, may, organisation } = useHere();
  const zone = useZone();
  const ofChannel: Search = channelId === undefined ? {} : { channel: channelId };
  const backlog = useBacklog(channelId);
  const service = useQuery({
    queryKey: ['service', organisation.id],
    queryFn: () => api.service.get({ place: { organisationId: organisation.id } }),
    // For any organisation but the first one this is forbidden, so do not repeat it.
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
      // These statistics cannot be filtered by channel. Without subscription ids they would be those of the newest ones
      // of all channels.
      const { data } = await api.subscriptions.list({ channelId, limit: MOST_OF_CHANNEL }, at).page();
      const subscriptionIds = data.map(({ id }) => id);
      if (subscriptionIds.length === 0) return [];
      return (await api.stats.getSubscriptions({ subscriptionIds, since }, at)).subscriptions;
    },
    refetchInterval: 30_000,
  });
  // The statistics cover the newest subscriptions, and a stopped one may be older.
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
  // Based on the time of the response, so that an unchanged response does not cause a render.
  const isLong = oldest !== undefined && backlog.dataUpdatedAt - Date.parse(oldest) > LONG_MS;
  // A delivery on hold waits for its subscription and is reported there.
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
  // An endpoint with a rate limit accepts some attempts, so it does not count as failing although most attempts fail.
  for (const { subscriptionId, totals, waiting: left } of figures.data ?? []) {
    const attempts = totals.delivered + totals.failedAttempts;
    const isMost = attempts >= MANY_ATTEMPTS && totals.failedAttempts * 2 > attempts;
    // Once nothing waits any more, the problem is over.
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
  // Rows come newest first, so after a full page there are older ones.
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

/** What fails now comes before what only has dead letters. */
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
      // Deliveries waiting for a stopped subscription matter more than earlier failures.
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

/** Problems of Posthorn itself: all of them for operators, and for everyone else only that nothing is delivered. */
function serviceProblems(reasons: Reasons | undefined, parts: Parts | undefined): Problem[] {
  if (reasons !== undefined)
    return (
      reasons
        // The backlog has its own row, with a link to its deliveries.
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

/** Credentials of this environment that expire soon, for users who can create others. */
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
