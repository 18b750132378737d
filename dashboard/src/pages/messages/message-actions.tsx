import { Eraser, FilePen, Send, ShieldCheck, X } from 'lucide-react';
import { useState } from 'react';
import type { Message } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { SendTo } from './send-to.tsx';
import { isSendable, useMessageActs } from './use-message.ts';

type Asked = 'send' | 'cancel' | 'erase' | undefined;

/** The actions of a message. `asked`: the open question, which the note above the message may also open. */
export function MessageActions({
  of: row,
  asked,
  onAsk,
}: {
  of: Message;
  asked: Asked;
  onAsk: (asked: Asked) => void;
}) {
  const { may } = useHere();
  const { act } = useActs();
  const { erase, cancel } = useMessageActs(row.id);
  const close = (): void => onAsk(undefined);
  if (!may('developer')) return null;
  return (
    <>
      <Button icon={FilePen} render={<HereLink to="/messages/new" search={{ copy: row.id }} />}>
        Edit and publish again
      </Button>
      {isSendable(row) && (
        <Button icon={Send} onClick={() => onAsk('send')}>
          Send to subscription…
        </Button>
      )}
      <MoreMenu
        groups={[
          {
            items: [
              {
                label: 'Check signature',
                icon: ShieldCheck,
                render: <HereLink to="/doctor" search={{ message: row.id }} />,
              },
              row.deliveryStatus === 'scheduled' && {
                label: 'Cancel message…',
                icon: X,
                onSelect: () => onAsk('cancel'),
              },
            ],
          },
          {
            items: [
              row.erasedAt === undefined && {
                label: 'Erase payload…',
                icon: Eraser,
                isDanger: true,
                onSelect: () => onAsk('erase'),
              },
            ],
          },
        ]}
      />
      {asked === 'send' && <SendTo message={row} onClose={close} />}
      {asked === 'cancel' && (
        <Confirm
          title="Cancel this scheduled message?"
          go="Cancel message"
          cancel="Keep message"
          isDanger
          typed={row.eventType}
          onClose={close}
          onGo={() => void act(cancel, { told: 'Scheduled message cancelled' })}
        >
          It won't be published, and no subscription receives it.
        </Confirm>
      )}
      {asked === 'erase' && (
        <Confirm
          title="Erase this payload?"
          go="Erase payload"
          isDanger
          typed={row.eventType}
          onClose={close}
          onGo={() => void act(erase, { told: 'Payload erased' })}
        >
          Permanently deletes the payload and metadata. Pending deliveries are cancelled.
        </Confirm>
      )}
    </>
  );
}

/** The open question about a message. */
export const useAsked = () => useState<Asked>();
