import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { api, type Channel } from '../../api/client.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { isSystemChannel } from '../../lib/system-channel.ts';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Columns, Facts, Section } from '../../ui/layout.tsx';
import { DeliveriesChart } from '../overview/deliveries-chart.tsx';
import { Figures } from '../overview/figures.tsx';
import { useFigures } from '../overview/use-figures.ts';
import { ChannelSubscriptions } from './channel-subscriptions.tsx';
import { ScheduledMessages } from './scheduled-messages.tsx';
import { daysText, invalidPayloads } from './words.ts';

/** The traffic of a channel over a time range, its subscriptions, and its settings. */
export function OverviewTab({ of: row }: { of: Channel }) {
  const { id, status } = row;
  const { at, path, may } = useHere();
  const figures = useFigures(id);
  const published = useQuery({
    queryKey: [path, 'has-messages', id],
    queryFn: async () => (await api.messages.listAll({ channelId: id, limit: 1 }, at).page()).data.length > 0,
    refetchInterval: ({ state }) => (state.data === true ? false : 3_000),
  });
  const isOwn = !isSystemChannel(row);
  // Reserve space for the figures until they are loaded.
  const hasTraffic = published.data !== false;
  return (
    <div className="flex flex-col gap-7">
      {(status !== 'active' || hasTraffic) && (
        <div className="flex flex-col gap-5">
          {status !== 'active' && (
            <Callout
              tone={status === 'paused' ? 'held' : 'cancelled'}
              title={status === 'paused' ? 'Paused.' : 'Archived.'}
            >
              Publishing is rejected until you activate the channel.
            </Callout>
          )}
          {hasTraffic && <Figures of={figures} channelId={id} />}
        </div>
      )}
      <Columns
        side={
          <>
            <Details of={row} isOwn={isOwn} />
            {isOwn && status === 'active' && hasTraffic && may('developer') && (
              <Section title="Publish">
                <FirstRequest of="message" channelId={id} />
              </Section>
            )}
          </>
        }
      >
        {hasTraffic && <DeliveriesChart of={figures} channelId={id} />}
        {isOwn && status === 'active' && !hasTraffic && may('developer') && (
          <Section title="Publish the first message">
            <FirstRequest of="message" channelId={id} />
          </Section>
        )}
        <ChannelSubscriptions
          channelId={id}
          create={
            may('developer') && (
              <Button size="small" icon={Plus} render={<HereLink to="/subscriptions/new" search={{ channel: id }} />}>
                Create subscription
              </Button>
            )
          }
        />
        <ScheduledMessages channelId={id} />
      </Columns>
    </div>
  );
}

function Details({ of: row, isOwn }: { of: Channel; isOwn: boolean }) {
  const [, change] = useAddress();
  const { may } = useHere();
  return (
    <Section
      title="Settings"
      end={
        isOwn &&
        may('developer') && (
          <Button look="quiet" size="small" onClick={() => change({ tab: 'settings' })}>
            Edit
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Retention', daysText(row.retentionDays)],
          isOwn && [
            'Invalid payloads',
            <button
              key="schemas"
              type="button"
              aria-label={`View schemas: ${invalidPayloads(row)}`}
              className="hover:underline"
              onClick={() => change({ tab: 'schemas' })}
            >
              {invalidPayloads(row)}
            </button>,
          ],
          ['Updated', <Ago key="updated" at={row.updatedAt} />],
          !isOwn && ['Publisher', 'Posthorn only'],
        ]}
      />
    </Section>
  );
}
