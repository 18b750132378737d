import { Plus, Split } from 'lucide-react';
import type { ReactNode } from 'react';
import { api, type Subscription, type SubscriptionStats } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { deliveredOf } from '../../lib/delivered.ts';
import { countText, durationText, shareOf, shareText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { hostOf, Name } from '../../parts/names.tsx';
import { useRowFigures } from '../../parts/use-row-figures.ts';
import { TypeTag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Sparkline } from '../../ui/figures.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { SubscriptionPanel } from './subscription-panel.tsx';

type Figures = SubscriptionStats['subscriptions'][number];
const idOf = ({ id }: Subscription): string => id;

export type SubscriptionFilter = Pick<
  NonNullable<Parameters<typeof api.subscriptions.list>[0]>,
  'name' | 'channelId' | 'owner' | 'status' | 'failing'
>;
type Choice = { all: readonly Column<never>[]; choice: ReturnType<typeof useColumnChoice> };

/** The subscriptions that a filter matches, with their health and their figures for the last day. */
export function SubscriptionList({
  filter,
  ofChannel = false,
  above,
  noMatch,
  onCount,
}: {
  filter: SubscriptionFilter;
  /** The list is on the page of their channel. */
  ofChannel?: boolean;
  above?: (columns: Choice) => ReactNode;
  /** Shown if a filter leaves no rows. If absent, the list is not filtered. */
  noMatch?: ReactNode;
  onCount?: (count: ListCount) => void;
}) {
  const { at, path, may } = useHere();
  const go = useGo();
  const figures = useRowFigures(
    'subscription-figures',
    async (ids) => (await api.stats.getSubscriptions({ subscriptionIds: ids }, at)).subscriptions,
  );
  const figuresOf = ({ id }: Subscription): Figures | undefined =>
    figures.find(({ subscriptionId }) => subscriptionId === id);
  const all = columnsOf(figuresOf, ofChannel);
  const choice = useColumnChoice('subscriptions', all);
  const search = filter.channelId === undefined ? {} : { channel: filter.channelId };
  return (
    <DataList
      name="Subscriptions"
      kinds={['subscription']}
      listKey={[path, 'subscriptions', filter]}
      {...(ofChannel && { ofId: filter.channelId })}
      fetch={async (cursor) => {
        const page = await api.subscriptions.list({ ...filter, limit: 100, cursor }, at).page();
        figures.haveRead(cursor, page.data.map(idOf));
        return page;
      }}
      idOf={idOf}
      columns={choice.shown}
      narrow={(row) => {
        const own = figuresOf(row);
        const { tone, word } = healthOf(row, { isFailing: own?.failingSince !== undefined });
        return {
          mark: <StatusIcon tone={tone} label={word} />,
          what: (
            <span className="font-medium">
              <bdi>{row.name}</bdi>
            </span>
          ),
          when: <SuccessRate of={own} />,
          where: hostOf(row.webhookUrl),
          result: tone === 'delivered' ? <Name kind="channel" id={row.channelId} /> : word,
        };
      }}
      above={above?.({
        all: all as readonly Column<never>[],
        choice: choice as ReturnType<typeof useColumnChoice>,
      })}
      {...(onCount !== undefined && { onCount })}
      empty={
        noMatch ?? (
          <Empty
            icon={Split}
            title="No subscriptions yet"
            actions={
              may('developer') && (
                <Button
                  look="primary"
                  icon={Plus}
                  render={
                    <HereLink to="/subscriptions/new" search={search}>
                      Create subscription
                    </HereLink>
                  }
                >
                  Create subscription
                </Button>
              )
            }
          >
            <p>A subscription delivers a channel's messages to an endpoint URL, signed and with retries.</p>
            <FirstRequest of="subscription" channelId={filter.channelId} />
          </Empty>
        )
      }
      hints={[
        ['J K', 'move'],
        ['↵', 'open'],
        ['O', 'open page'],
      ]}
      panelTitle="Subscription"
      panel={(id) => <SubscriptionPanel key={id} id={id} />}
      onVisit={(id) => go(`/subscriptions/${id}`)}
    />
  );
}

function columnsOf(
  figuresOf: (row: Subscription) => Figures | undefined,
  ofChannel: boolean,
): readonly Column<Subscription>[] {
  const columns: readonly (Column<Subscription> | false)[] = [
    {
      key: 'health',
      head: 'Health',
      width: 100,
      grow: 0,
      cell: (row) => {
        const { tone, word } = healthOf(row, { isFailing: figuresOf(row)?.failingSince !== undefined });
        return <Status tone={tone}>{word}</Status>;
      },
    },
    {
      key: 'name',
      head: 'Subscription',
      width: 180,
      grow: 3,
      cell: (row) => (
        <>
          <HereLink to={`/subscriptions/${row.id}`} isRow className="font-medium">
            <bdi>{row.name}</bdi>
          </HereLink>
          {hostOf(row.webhookUrl) !== row.name && <span className="ml-1.75 text-text-2">{hostOf(row.webhookUrl)}</span>}
        </>
      ),
    },
    !ofChannel && {
      key: 'channel',
      head: 'Channel',
      width: 90,
      rank: 4,
      cell: (row) => <Name kind="channel" id={row.channelId} />,
    },
    { key: 'types', head: 'Event types', width: 130, grow: 2, rank: 3, cell: (row) => <EventTypes of={row} /> },
    { key: 'day', head: 'Last 24 hours', width: 96, grow: 0, rank: 1, cell: (row) => <LastDay of={figuresOf(row)} /> },
    {
      key: 'rate',
      head: 'Success rate',
      width: 78,
      grow: 0,
      isNumber: true,
      cell: (row) => <SuccessRate of={figuresOf(row)} />,
    },
    {
      key: 'p95',
      head: 'p95',
      width: 60,
      grow: 0,
      isNumber: true,
      rank: 2,
      cell: (row) => {
        const own = figuresOf(row);
        if (own === undefined) return null;
        const { latencyMs } = own.totals;
        return latencyMs === undefined ? <span className="text-text-3">—</span> : durationText(latencyMs.p95);
      },
    },
    {
      key: 'backlog',
      head: 'Backlog',
      width: 56,
      grow: 0,
      isNumber: true,
      rank: 2,
      cell: (row) => {
        const waiting = figuresOf(row)?.waiting;
        if (waiting === undefined) return null;
        return <span className={waiting.count === 0 ? 'text-text-3' : undefined}>{boundedText(waiting)}</span>;
      },
    },
    { key: 'id', head: 'ID', width: 72, grow: 0, rank: 6, isOff: true, cell: (row) => <CopyId id={row.id} /> },
    {
      key: 'owner',
      head: 'Customer ID',
      width: 110,
      rank: 6,
      isOff: true,
      cell: ({ owner }) => (owner === undefined ? <span className="text-text-3">—</span> : <code>{owner}</code>),
    },
    {
      key: 'created',
      head: 'Created',
      width: 92,
      grow: 0,
      isNumber: true,
      rank: 5,
      isOff: true,
      cell: (row) => <Ago at={row.createdAt} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** Returns the first type, and how many others there are. */
function EventTypes({ of: { eventTypes, filter } }: { of: Subscription }) {
  const [first, ...others] = eventTypes;
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={eventTypes.join(', ')}>
      {first === undefined ? 'All' : <TypeTag>{first}</TypeTag>}
      {others.length > 0 && <span className="text-12 text-text-2">+{others.length}</span>}
      {filter !== undefined && <span className="text-12 text-text-3">filtered</span>}
    </span>
  );
}

function LastDay({ of: own }: { of: Figures | undefined }) {
  if (own === undefined) return null;
  const { delivered, failedAttempts } = own.totals;
  if (delivered + failedAttempts === 0) return <span className="text-text-3">—</span>;
  return (
    <Sparkline
      className="h-5 w-24"
      label={`${countText(delivered)} attempts succeeded, ${countText(failedAttempts)} failed`}
      values={own.points.map((point) => point.delivered + point.failedAttempts)}
      isBad={own.failingSince !== undefined}
    />
  );
}

const BAD_BELOW = 95;

/**
 * Does not show 100% while every recent attempt fails: deliveries being retried are not finished, and not counted yet.
 */
function SuccessRate({ of: own }: { of: Figures | undefined }) {
  if (own === undefined) return null;
  const { delivered, finished } = deliveredOf(own.deliveries);
  const share = shareOf(delivered, finished);
  if (share === undefined || (share === 100 && own.failingSince !== undefined))
    return <span className="text-text-3">—</span>;
  return <span className={share < BAD_BELOW ? 'text-failed' : undefined}>{shareText(delivered, finished)}</span>;
}
