import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Hash, Rocket } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { isSystemChannel } from '../../lib/system-channel.ts';
import { TimeRange } from '../../parts/data-list/time-range.tsx';
import { useChannels, useSubscriptions } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Columns } from '../../ui/layout.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Attention } from './attention.tsx';
import { DeliveriesChart, Responses } from './deliveries-chart.tsx';
import { BusiestSubscriptions } from './busiest-subscriptions.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { MarkDeployment } from './mark-deployment.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { useFigures } from './use-figures.ts';

/** Shows first what needs attention, then the figures of a time range. A new app gets a guide to its first delivery. */
export function OverviewPage() {
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const [isMarking, setIsMarking] = useState(false);
  const channelId = search['channel'];
  const channels = useChannels();
  const subscriptions = useSubscriptions();
  const figures = useFigures(channelId);
  const published = useQuery({
    queryKey: [path, 'has-messages', channelId],
    queryFn: async () => (await api.messages.listAll({ channelId, limit: 1 }, at).page()).data.length > 0,
    refetchInterval: ({ state }) => (state.data === true ? false : 3_000),
  });
  const own = channels.all.filter((channel) => !isSystemChannel(channel));
  return (
    <Page
      title="Overview"
      actions={
        <>
          {own.length > 1 && <ChannelChoice />}
          <TimeRange usual="24h" />
          {may('developer') && (
            <Button icon={Rocket} onClick={() => setIsMarking(true)} className="max-xl:hidden">
              Mark deployment
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-7">
        <div className="flex flex-col gap-5">
          {channelId === undefined &&
            published.data !== undefined &&
            !channels.isPending &&
            !subscriptions.isPending && (
              <FirstSteps channels={own} hasSubscription={subscriptions.all.length > 0} isPublished={published.data} />
            )}
          <Attention channelId={channelId} />
          {published.data === true && <Figures of={figures} channelId={channelId} />}
        </div>
        {published.data === true && (
          <>
            <Columns side={<Responses of={figures} channelId={channelId} />}>
              <DeliveriesChart of={figures} channelId={channelId} />
            </Columns>
            <Columns side={<RecentChanges />}>
              <BusiestSubscriptions channelId={channelId} />
            </Columns>
          </>
        )}
      </div>
      {isMarking && <MarkDeployment onClose={() => setIsMarking(false)} />}
    </Page>
  );
}

/** Narrows the page to one channel. */
function ChannelChoice() {
  const [search, change] = useAddress();
  const channels = useChannels();
  const chosen = channels.all.find(({ id }) => id === search['channel']);
  const name = chosen?.name ?? search['channel'] ?? 'All channels';
  return (
    <Menu
      trigger={
        <Button icon={Hash} iconEnd={ChevronDown} label={`Channel: ${name}`} className="max-lg:hidden">
          <span className="max-w-40 truncate">{name}</span>
        </Button>
      }
      groups={[
        {
          items: [
            {
              label: 'All channels',
              isChecked: search['channel'] === undefined,
              onSelect: () => change({ channel: '' }),
            },
          ],
        },
        {
          title: 'Channels',
          items: channels.all
            .filter((channel) => !isSystemChannel(channel))
            .map(({ id, name: each }) => ({
              label: each,
              isChecked: id === search['channel'],
              onSelect: () => change({ channel: id }),
            })),
        },
      ]}
    />
  );
}
