import {
  ArchiveX,
  CirclePause,
  CirclePlay,
  FileText,
  History,
  Mail,
  Pencil,
  Rocket,
  Send,
  ShieldCheck,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { api, type Subscription } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { useSubscriptionStats } from '../../parts/use-failing.ts';
import { Button } from '../../ui/button.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { MarkDeployment } from '../overview/mark-deployment.tsx';
import { ReplaySince } from '../replays/replay-since.tsx';

export type SubscriptionActs = {
  /** Pauses or resumes it. */
  toggle: () => void;
  sendTest: () => void;
};

export function useSubscriptionActs(row: Subscription | undefined): SubscriptionActs {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const id = row?.id ?? '';
  const pause = async (): Promise<void> => {
    await api.subscriptions.pause(id, at);
    await refresh();
  };
  const resume = async (): Promise<void> => {
    await api.subscriptions.resume(id, at);
    await refresh();
  };
  return {
    toggle: () =>
      void (row?.status === 'active'
        ? act(pause, { told: 'Subscription paused', undo: resume })
        : act(resume, { told: 'Subscription resumed' })),
    sendTest: () =>
      void act(
        async () => {
          const message = await api.subscriptions.test(id, undefined, at);
          go(`/messages/${message.id}`);
        },
        { told: 'Test event sent' },
      ),
  };
}

/** The actions of a subscription, the same in its panel and on its page. */
export function SubscriptionActions({
  of: row,
  acts,
  isInPanel = false,
}: {
  of: Subscription;
  acts: SubscriptionActs;
  isInPanel?: boolean;
}) {
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [asked, setAsked] = useState<'replay' | 'mark' | 'delete' | 'resume'>();
  const close = (): void => setAsked(undefined);
  const stats = useSubscriptionStats(row.id);
  const isActive = row.status === 'active';
  const waits = stats?.waiting.count ?? 0;
  // All waiting deliveries would be sent at once, and fail again.
  const isRisky = row.status === 'paused' && stats?.failingSince !== undefined && waits > 0;
  const page = `/subscriptions/${row.id}`;
  const remove = async (): Promise<void> => {
    await api.subscriptions.delete(row.id, at);
    go('/subscriptions');
    await refresh();
  };
  const views = {
    items: [
      {
        label: 'View messages',
        icon: FileText,
        render: <HereLink to="/messages" search={{ channel: row.channelId }} />,
      },
      {
        label: 'View dead letters',
        icon: ArchiveX,
        render: <HereLink to="/dead-letters" search={{ subscription: row.id }} />,
      },
    ],
  };
  if (!may('developer')) return <MoreMenu groups={[views]} />;
  return (
    <>
      <Button icon={Send} onClick={acts.sendTest} className="max-md:[&_svg]:hidden">
        Send test event
      </Button>
      <Button
        icon={isActive ? CirclePause : CirclePlay}
        look={isActive ? 'default' : 'primary'}
        onClick={isRisky ? () => setAsked('resume') : acts.toggle}
        className="max-md:[&_svg]:hidden"
      >
        {isActive ? 'Pause' : isRisky ? 'Resume…' : 'Resume'}
      </Button>
      <Button icon={History} onClick={() => setAsked('replay')} className="max-md:[&_svg]:hidden">
        Replay…
      </Button>
      <MoreMenu
        groups={[
          {
            items: [
              isInPanel && {
                label: 'Edit settings',
                icon: Pencil,
                render: <HereLink to={page} search={{ tab: 'settings' }} />,
              },
              {
                label: 'Publish message',
                icon: Mail,
                render: <HereLink to="/messages/new" search={{ channel: row.channelId }} />,
              },
              { label: 'Debug a signature', icon: ShieldCheck, render: <HereLink to="/doctor" /> },
              { label: 'Mark deployment…', icon: Rocket, onSelect: () => setAsked('mark') },
            ],
          },
          views,
          { items: [{ label: 'Delete…', icon: Trash2, isDanger: true, onSelect: () => setAsked('delete') }] },
        ]}
      />
      {asked === 'replay' && <ReplaySince subscription={row} onClose={close} />}
      {asked === 'resume' && stats !== undefined && (
        <Confirm title={`Resume ${row.name}?`} go="Resume subscription" onClose={close} onGo={acts.toggle}>
          {boundedText(stats.waiting)} {waits === 1 ? 'delivery waits and is' : 'deliveries wait and are'} sent at once.
          The last attempts before the pause all failed.
        </Confirm>
      )}
      {asked === 'mark' && <MarkDeployment onClose={close} />}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${row.name}?`}
          go="Delete subscription"
          isDanger
          typed={row.name}
          onClose={close}
          onGo={() => void act(remove, { told: 'Subscription deleted' })}
        >
          Pending deliveries are cancelled. Messages of the channel stay.
        </Confirm>
      )}
    </>
  );
}
