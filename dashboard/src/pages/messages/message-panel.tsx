import { NotRead } from '../../parts/failure-note.tsx';
import { MESSAGE_STATES } from '../../lib/words.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { MessageActions, useAsked } from './message-actions.tsx';
import { MessageDeliveries } from './message-deliveries.tsx';
import { MessageFacts, Payload } from './message-parts.tsx';
import { MessageRuns } from './message-runs.tsx';
import { deliveredText, MessageNote } from './message-state.tsx';
import { NotDeliveredTo } from './not-delivered.tsx';
import { useMessage } from './use-message.ts';

/** The panel of a message: who received it, its actions, and its payload. */
export function MessagePanel({ id }: { id: string }) {
  const { message, row, payload, deliveries } = useMessage(id);
  const [asked, setAsked] = useAsked();
  if (row === undefined) return <NotRead of={message} />;
  const { tone, word } = MESSAGE_STATES[row.deliveryStatus];
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-x-1.75 gap-y-1 text-15 font-bold tracking-tight [overflow-wrap:anywhere]">
        <StatusIcon tone={tone} label={word} isSmall={false} />
        {row.eventType}
        <span className="text-13 font-normal tracking-normal text-text-2">
          {deliveredText(row, deliveries.rows, deliveries.isMore)}
        </span>
      </h2>
      <MessageNote of={row} onCancel={() => setAsked('cancel')} />
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        <MessageActions of={row} asked={asked} onAsk={setAsked} />
      </div>
      <MessageDeliveries id={id} of={deliveries} isInPanel />
      <NotDeliveredTo of={row} />
      <Payload text={payload} />
      <MessageRuns id={id} />
      <MessageFacts of={row} hasChannel />
    </div>
  );
}
