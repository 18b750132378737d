import { Archive, CirclePause, CirclePlay, Mail, Send, Split, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type Channel } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { isSystemChannel } from '../../lib/system-channel.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { MoreMenu } from '../../ui/menu.tsx';

/** The actions of a channel. Only Posthorn changes its own system channel. */
export function ChannelActions({ of: row }: { of: Channel }) {
  const { id, name, status } = row;
  const { at, may } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<'archive' | 'delete'>();
  const isChangeable = may('developer') && !isSystemChannel(row);
  const become = async (next: Channel['status']): Promise<void> => {
    await api.channels.update(id, { status: next }, at);
    await refresh();
  };
  const remove = async (): Promise<void> => {
    await api.channels.delete(id, at);
    go('/channels');
    await refresh();
  };
  const channel = { channel: id };
  return (
    <>
      {isChangeable && status === 'active' && (
        <>
          <Button icon={Send} render={<HereLink to="/messages/new" search={channel} />}>
            Publish message
          </Button>
          <Button
            icon={CirclePause}
            onClick={() => void act(() => become('paused'), { told: 'Channel paused', undo: () => become('active') })}
          >
            Pause
          </Button>
        </>
      )}
      {isChangeable && status !== 'active' && (
        <Button
          look="primary"
          icon={CirclePlay}
          onClick={() => void act(() => become('active'), { told: 'Channel activated' })}
        >
          Activate
        </Button>
      )}
      <MoreMenu
        groups={[
          {
            items: [
              { label: 'View messages', icon: Mail, render: <HereLink to="/messages" search={channel} /> },
              { label: 'View deliveries', icon: Send, render: <HereLink to="/deliveries" search={channel} /> },
              { label: 'View subscriptions', icon: Split, render: <HereLink to="/subscriptions" search={channel} /> },
            ],
          },
          {
            items: [
              isChangeable &&
                status !== 'archived' && { label: 'Archive…', icon: Archive, onSelect: () => setAsked('archive') },
              isChangeable && {
                label: 'Delete…',
                icon: Trash2,
                isDanger: true,
                onSelect: () => setAsked('delete'),
              },
            ],
          },
        ]}
      />
      {asked === 'archive' && (
        <Confirm
          title={`Archive ${name}?`}
          go="Archive channel"
          typed={name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(() => become('archived'), { told: 'Channel archived', undo: () => become(status) })}
        >
          Publishing is rejected until you activate the channel again. Messages it already has are still delivered.
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          go="Delete channel"
          isDanger
          typed={name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(remove, { told: 'Channel deleted' })}
        >
          Deletes its subscriptions and messages. Pending deliveries are cancelled.
        </Confirm>
      )}
    </>
  );
}
