import { CalendarClock, CircleSlash, Eraser, Split } from 'lucide-react';
import type { Delivery, Message } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { MESSAGE_STATES } from '../../lib/words.ts';
import { HereLink } from '../../parts/link.tsx';
import { Exact, In } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Note } from '../../ui/callout.tsx';
import { StatusBadge } from '../../ui/status.tsx';

/** To how many subscriptions a message was delivered, if all of its deliveries are known; otherwise its state. */
export function deliveredText(of: Message, deliveries: readonly Delivery[], isMore: boolean): string {
  if (deliveries.length === 0 || isMore) return MESSAGE_STATES[of.deliveryStatus].word;
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  return `${delivered} of ${deliveries.length} delivered`;
}

/** The same in the heading of a page. */
export const MessageBadge = ({
  of,
  deliveries,
  isMore,
}: {
  of: Message;
  deliveries: readonly Delivery[];
  isMore: boolean;
}) => <StatusBadge tone={MESSAGE_STATES[of.deliveryStatus].tone}>{deliveredText(of, deliveries, isMore)}</StatusBadge>;

/**
 * What is special about a message, with the next step. Renders nothing for a published message that has subscribers.
 */
export function MessageNote({ of: row, onCancel }: { of: Message; onCancel: () => void }) {
  const { may } = useHere();
  if (row.erasedAt !== undefined)
    return (
      <Note icon={Eraser}>
        <strong>Payload erased.</strong> Payload and metadata were deleted on <Exact at={row.erasedAt} />.
      </Note>
    );
  if (row.deliveryStatus === 'scheduled')
    return (
      <Note
        icon={CalendarClock}
        actions={
          may('developer') && (
            <Button size="small" onClick={onCancel}>
              Cancel message…
            </Button>
          )
        }
      >
        <strong>
          Scheduled, due <In at={row.publishedAt} />.
        </strong>{' '}
        It is published at <Exact at={row.publishedAt} />.
      </Note>
    );
  if (row.deliveryStatus === 'cancelled')
    return (
      <Note icon={CircleSlash}>
        <strong>Cancelled before it was published.</strong> No subscription receives it.
      </Note>
    );
  if (row.deliveryStatus === 'unrouted')
    return (
      <Callout
        tone="cancelled"
        title="No matching subscription."
        actions={
          may('developer') && (
            <Button
              size="small"
              icon={Split}
              render={<HereLink to="/subscriptions/new" search={{ channel: row.channelId, type: row.eventType }} />}
            >
              Create subscription
            </Button>
          )
        }
      >
        It was stored, and may have started workflows.
      </Callout>
    );
  return null;
}
