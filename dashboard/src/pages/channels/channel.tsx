import { useQuery } from '@tanstack/react-query';
import { api, type Channel } from '../../api/client.ts';
import { usePathId } from '../../lib/path-id.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { isSystemChannel } from '../../lib/system-channel.ts';
import { TimeRange } from '../../parts/data-list/time-range.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Page } from '../../shell/page.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { HeadFact, PageHead } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ChannelActions } from './channel-actions.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SchemasTab } from './schemas-tab.tsx';
import { ChannelSettingsTab } from './settings-tab.tsx';
import { TestTab } from './test-tab.tsx';
import { CHANNEL_STATES, schemaCount } from './words.ts';

const CRUMBS = [['Channels', '/channels']] as const;
const TABS = ['overview', 'schemas', 'test', 'settings'] as const;

/**
 * One channel: its traffic and subscriptions, the schemas of its payloads, a message to test them with, and its
 * settings.
 */
export function ChannelPage() {
  const id = usePathId();
  const { at, path, may } = useHere();
  const [search, change] = useAddress();
  const found = useQuery({
    queryKey: [path, 'channel', id],
    queryFn: () => api.channels.get(id, at).withAnswer(),
  });
  if (found.data === undefined)
    return (
      <Page title="Channel" crumbs={CRUMBS} hasHead>
        <NotRead of={found} />
      </Page>
    );
  const { data: row, text } = found.data;
  // Users cannot change Posthorn's system channel or publish to it.
  const isOwn = !isSystemChannel(row);
  const count = schemaCount(row);
  const tabs = [
    { value: 'overview', label: 'Overview' },
    ...(isOwn ? [{ value: 'schemas', label: 'Schemas', ...(count > 0 && { count }) }] : []),
    ...(isOwn && may('developer')
      ? [
          { value: 'test', label: 'Test' },
          { value: 'settings', label: 'Settings' },
        ]
      : []),
  ];
  const asked = oneOf(search['tab'], TABS);
  const tab = tabs.find(({ value }) => value === asked)?.value ?? 'overview';
  return (
    <Page title={row.name} crumbs={CRUMBS} hasHead actions={tab === 'overview' && <TimeRange usual="24h" />}>
      <Head of={row} />
      {isOwn ? (
        <Tabs
          label="Channel"
          className="mt-4"
          value={tab}
          onChange={(next) => change({ tab: next === 'overview' ? '' : next })}
          tabs={tabs}
        >
          <div className="pt-5">
            {tab === 'overview' && <OverviewTab of={row} />}
            {tab === 'schemas' && <SchemasTab key={id} of={row} text={text} />}
            {tab === 'test' && <TestTab key={id} of={row} />}
            {tab === 'settings' && <ChannelSettingsTab key={id} of={row} />}
          </div>
        </Tabs>
      ) : (
        <div className="pt-5">
          <OverviewTab of={row} />
        </div>
      )}
    </Page>
  );
}

function Head({ of: row }: { of: Channel }) {
  const { tone, word } = CHANNEL_STATES[row.status];
  return (
    <PageHead
      title={row.name}
      badge={<StatusBadge tone={tone}>{word}</StatusBadge>}
      facts={
        <>
          {row.description !== undefined && <HeadFact>{row.description}</HeadFact>}
          <HeadFact>
            <CopyId id={row.id} isNamed />
          </HeadFact>
          <HeadFact>
            <span>
              Created <Ago at={row.createdAt} />
            </span>
          </HeadFact>
        </>
      }
      actions={<ChannelActions of={row} />}
    />
  );
}
