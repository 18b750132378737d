import { CalendarClock, Plus } from 'lucide-react';
import { api, type Message } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { CopyIds } from '../../parts/copy-ids.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Exact, In } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { ChannelChoice, useChosenChannel } from './channel-choice.tsx';
import { MessagePanel } from './message-panel.tsx';
import { PublishLink } from './publish-link.tsx';

const idOf = ({ id }: Message): string => id;

const COLUMNS: readonly Column<Message>[] = [
  { key: 'due', head: 'Due', width: 96, grow: 0, cell: (row) => <In at={row.publishedAt} /> },
  {
    key: 'type',
    head: 'Event type',
    width: 160,
    cell: (row) => (
      <HereLink to={`/messages/${row.id}`} isRow className="mono">
        {row.eventType}
      </HereLink>
    ),
  },
  { key: 'id', head: 'ID', width: 72, grow: 0, rank: 2, cell: (row) => <CopyId id={row.id} /> },
  {
    key: 'at',
    head: 'Scheduled for',
    width: 200,
    grow: 0,
    isNumber: true,
    rank: 1,
    cell: (row) => <Exact at={row.publishedAt} />,
  },
];

/** All scheduled messages of a channel, the soonest first. */
export function ScheduledTab() {
  const { at, path, may } = useHere();
  const go = useGo();
  const channelId = useChosenChannel();
  const choice = (
    <div className="flex shrink-0 items-center gap-2 px-6 py-3 max-md:px-4">
      <ChannelChoice />
      {channelId !== undefined && (
        <span className="ml-auto max-md:hidden">
          <ExportButton
            of={{
              name: 'scheduled-messages',
              path: `/v1/channels/${channelId}/scheduled`,
              query: () => ({ payloads: 'false' }),
              at,
            }}
          />
        </span>
      )}
    </div>
  );
  const none = (
    <Empty
      icon={CalendarClock}
      title="No scheduled messages"
      actions={
        may('developer') && (
          <Button icon={Plus} render={<PublishLink channel={channelId} />}>
            Schedule message
          </Button>
        )
      }
    >
      <p>Messages published with a delay or a time wait here, and can be cancelled until then.</p>
    </Empty>
  );
  if (channelId === undefined)
    return (
      <>
        {choice}
        {none}
      </>
    );
  return (
    <DataList
      name="Scheduled messages"
      kinds={['message']}
      listKey={[path, 'scheduled-list', channelId]}
      isByOtherOrder
      fetch={(cursor) => api.messages.listScheduled(channelId, { payloads: 'false', limit: 100, cursor }, at).page()}
      idOf={idOf}
      columns={COLUMNS}
      narrow={(row) => ({
        mark: <StatusIcon tone="scheduled" label="Scheduled" />,
        what: <span className="mono">{row.eventType}</span>,
        when: <In at={row.publishedAt} />,
        where: <Exact at={row.publishedAt} />,
      })}
      above={choice}
      empty={none}
      acts={(rows) => <CopyIds rows={rows} />}
      panelTitle="Message"
      panel={(id) => <MessagePanel key={id} id={id} />}
      onVisit={(id) => go(`/messages/${id}`)}
    />
  );
}
