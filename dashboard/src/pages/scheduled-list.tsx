import { api, type Message } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { ChannelChoice, useChosenChannel } from '../parts/channel-choice.tsx';
import { Empty } from '../parts/empty.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { Time, Until } from '../parts/time.tsx';
import { MessageView } from './message.tsx';

const idOf = ({ id }: Message): string => id;

/** Every message of a channel that waits for its time, the soonest first. */
export function ScheduledList() {
  const t = useTexts();
  const { at, path, may } = useHere();
  const go = useGo();
  const channelId = useChosenChannel();
  const columns: readonly Column<Message>[] = [
    { head: t.messages.publishedAt, width: '220px', cell: (row) => <Time at={row.publishedAt} /> },
    { head: t.messages.due, width: '120px', cell: (row) => <Until at={row.publishedAt} /> },
    { head: t.fields.eventType, width: 'minmax(120px, 1fr)', cell: (row) => row.eventType },
    {
      head: t.fields.message,
      width: 'minmax(160px, 1fr)',
      cell: (row) => (
        <HereLink to={`/messages/${row.id}`} className="mono">
          {row.id}
        </HereLink>
      ),
    },
  ];
  const none = (
    <Empty title={t.messages.noneScheduled}>
      <p>{t.messages.noneScheduledWhy}</p>
      {may('developer') && (
        <HereLink to="/messages/new" search={{ channel: channelId ?? '' }} className="button main">
          {t.messages.publish}
        </HereLink>
      )}
    </Empty>
  );
  return (
    <>
      <div className="filters">
        <ChannelChoice />
      </div>
      {channelId === undefined ? (
        none
      ) : (
        <LiveList
          name={t.messages.scheduled}
          kinds={['message']}
          listKey={[path, 'scheduled-list', channelId]}
          isByOtherOrder
          fetch={(cursor) =>
            api.messages.listScheduled(channelId, { payloads: 'false', limit: 100, cursor }, at).page()
          }
          idOf={idOf}
          exported={{
            name: 'scheduled-messages',
            path: `/v1/channels/${channelId}/scheduled`,
            query: () => ({ payloads: 'false' }),
            at,
          }}
          columns={columns}
          leastWidth={720}
          empty={none}
          panel={(id) => <MessageView id={id} isInPanel />}
          onVisit={(id) => go(`/messages/${id}`)}
        />
      )}
    </>
  );
}
