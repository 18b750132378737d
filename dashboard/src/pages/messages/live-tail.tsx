import { Radio } from 'lucide-react';
import { memberText } from '../../lib/raw-json.ts';
import { counted } from '../../lib/words.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Clock } from '../../parts/moment.tsx';
import { usePaused } from '../../parts/pause.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Table } from '../../ui/table.tsx';
import { ChannelChoice, useChosenChannel } from './channel-choice.tsx';
import { KEPT_ROWS, useTail } from './use-tail.ts';

/** How many characters of a payload are shown. */
const SHOWN = 300;

/** Messages of a channel as they are published, with their payloads, newest first. */
export function LiveTail() {
  const channelId = useChosenChannel();
  const isPaused = usePaused();
  const go = useGo();
  const { messages, seen, error, isOpen } = useTail(channelId, isPaused);
  const count = `${counted(seen, 'message')} so far`;
  return (
    <div className="flex min-h-0 grow flex-col overflow-y-auto px-6 pb-6 max-md:px-4">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 py-3">
        <ChannelChoice />
        <span role="status" className="text-text-2">
          {isOpen && !isPaused ? `Listening: ${count}` : `Paused: ${count}`}
          {seen > KEPT_ROWS && `, newest ${KEPT_ROWS} shown`}
        </span>
      </div>
      <FailureNote error={error} />
      {messages.length === 0 ? (
        <Empty icon={Radio} title="No messages yet">
          <p>Messages appear here as they are published.</p>
          <FirstRequest of="message" channelId={channelId} />
        </Empty>
      ) : (
        <Table
          label="Live messages"
          rows={messages}
          keyOf={({ eventId }) => eventId}
          onOpen={({ message }) => go(`/messages/${message.id}`)}
          columns={[
            { head: 'Published', width: '104px', cell: ({ message }) => <Clock at={message.publishedAt} /> },
            {
              head: 'Event type',
              width: '26%',
              cell: ({ message }) => (
                <HereLink to={`/messages/${message.id}`} className="mono">
                  {message.eventType}
                </HereLink>
              ),
            },
            {
              head: 'Payload',
              isWide: true,
              className: 'mono text-text-2',
              cell: ({ text }) => memberText(text, 'payload')?.slice(0, SHOWN),
            },
            { head: 'ID', width: '92px', isNumber: true, cell: ({ message }) => <CopyId id={message.id} /> },
          ]}
        />
      )}
    </div>
  );
}
