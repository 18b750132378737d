import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { api, type Message } from '../../api/client.ts';
import { dateText } from '../../lib/format.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { In, useNow, useZone } from '../../parts/moment.tsx';
import { IconButton } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Section } from '../../ui/layout.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';

/** How many of the soonest are shown. */
const SOONEST = 10;
const EVERY_MS = 3_000;

/** Scheduled messages of a channel, the soonest first. Renders nothing if there are none. */
export function ScheduledMessages({ channelId }: { channelId: string }) {
  const { at, path, may } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const [now, zone] = [useNow(), useZone()];
  const [asked, setAsked] = useState<Message>();
  const found = useQuery({
    queryKey: [path, 'scheduled', channelId],
    queryFn: () => api.messages.listScheduled(channelId, { payloads: 'false', limit: SOONEST }, at).page(),
    refetchInterval: EVERY_MS,
  });
  const { data: rows = [], pagination } = found.data ?? {};
  if (rows.length === 0) return null;
  const columns: readonly TableColumn<Message>[] = [
    { head: 'Due', width: '104px', cell: (row) => <In at={row.publishedAt} /> },
    {
      head: 'Event type',
      cell: (row) => (
        <HereLink to={`/messages/${row.id}`} className="mono">
          {row.eventType}
        </HereLink>
      ),
    },
    { head: 'ID', width: '96px', isWide: true, cell: (row) => <CopyId id={row.id} /> },
    {
      head: 'Scheduled for',
      width: '140px',
      isNumber: true,
      isWide: true,
      cell: (row) => <time dateTime={row.publishedAt}>{dateText(row.publishedAt, now, zone)}</time>,
    },
  ];
  return (
    <Section
      title="Scheduled messages"
      end={
        <HereLink
          to="/messages"
          search={{ tab: 'scheduled', channel: channelId }}
          className="px-1 text-accent hover:underline"
        >
          View all{pagination?.hasMore === true ? '' : ` ${rows.length}`}
        </HereLink>
      }
    >
      <Table
        label="Scheduled messages"
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(`/messages/${id}`)}
        columns={[
          ...columns,
          ...(may('developer')
            ? [
                {
                  head: <span className="sr-only">Actions</span>,
                  width: '60px',
                  isNumber: true,
                  cell: (row: Message) => (
                    <IconButton icon={X} size="small" label="Cancel message…" onClick={() => setAsked(row)} />
                  ),
                },
              ]
            : []),
        ]}
      />
      {asked !== undefined && (
        <Confirm
          title="Cancel this scheduled message?"
          go="Cancel message"
          cancel="Keep message"
          isDanger
          typed={asked.eventType}
          onClose={() => setAsked(undefined)}
          onGo={() =>
            void act(
              async () => {
                await api.messages.cancel(asked.id, at);
                await refresh();
              },
              { told: 'Scheduled message cancelled' },
            )
          }
        >
          It won't be published, and no subscription receives it.
        </Confirm>
      )}
    </Section>
  );
}
