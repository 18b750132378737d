import { useQuery } from '@tanstack/react-query';
import { Ban, CirclePlay, FlaskConical, Hash, Mail, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type Webhook } from '../../api/client.ts';
import { usePathId } from '../../lib/path-id.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Name } from '../../parts/names.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { HeadFact, PageHead } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { ProviderChoice } from './provider-grid.tsx';
import { ProviderTile } from './provider-tile.tsx';
import { InboundRequests } from './requests.tsx';
import { SampleDialog } from './sample.tsx';
import { WebhookSettings } from './settings.tsx';
import { useSample } from './use-sample.ts';
import { WebhookSide } from './webhook-side.tsx';
import { providerName, WEBHOOK_STATES } from './words.ts';

const TABS = ['requests', 'setup', 'settings'] as const;
/** Below this width the side column is a tab. */
const WITH_SIDE = 1_280;

/** One inbound webhook: its URL, the outcome of its requests, and the setup at the provider. */
export function InboundWebhookPage() {
  const id = usePathId();
  const { at, path, may } = useHere();
  const [search, change] = useAddress();
  const [isSampling, setIsSampling] = useState(false);
  const isSideTab = useIsNarrower(WITH_SIDE);
  const found = useQuery({ queryKey: [path, 'webhook', id], queryFn: () => api.webhooks.get(id, at) });
  const row = found.data;
  const asked = oneOf(search['tab'], TABS) ?? 'requests';
  const tab = asked === 'setup' && !isSideTab ? 'requests' : asked;
  if (row === undefined)
    return (
      <Page title="Inbound webhook" crumbs={[['Inbound webhooks', '/inbound']]} hasHead>
        <NotRead of={found} />
      </Page>
    );
  return (
    <Page title={row.name} crumbs={[['Inbound webhooks', '/inbound']]} hasHead layout="full">
      <div className="shrink-0 px-6 pt-5 pb-2 max-md:px-4">
        <Head of={row} onSample={() => setIsSampling(true)} />
      </div>
      <Tabs
        layout="full"
        label="Inbound webhook"
        value={tab}
        onChange={(next) => change({ tab: next === 'requests' ? '' : next, open: '' })}
        tabs={[
          { value: 'requests', label: 'Requests' },
          ...(isSideTab ? [{ value: 'setup', label: 'Setup' }] : []),
          ...(may('developer') ? [{ value: 'settings', label: 'Settings' }] : []),
        ]}
      >
        {tab === 'requests' && (
          <div className="flex min-h-0 grow">
            <div className="flex min-w-0 grow flex-col">
              <InboundRequests of={row} onSample={() => setIsSampling(true)} />
            </div>
            {!isSideTab && search['open'] === undefined && (
              <aside aria-label="Setup" className="w-85 shrink-0 overflow-y-auto border-l border-line p-5">
                <WebhookSide of={row} />
              </aside>
            )}
          </div>
        )}
        {tab === 'setup' && (
          <div className="min-h-0 grow overflow-y-auto p-6 max-md:p-4">
            <div className="max-w-140">
              <WebhookSide of={row} />
            </div>
          </div>
        )}
        {tab === 'settings' && (
          <div className="min-h-0 grow overflow-y-auto p-6 max-md:p-4">
            <WebhookSettings of={row} />
          </div>
        )}
      </Tabs>
      {isSampling && <SampleDialog of={row} onClose={() => setIsSampling(false)} />}
    </Page>
  );
}

function Head({ of: row, onSample }: { of: Webhook; onSample: () => void }) {
  const { may } = useHere();
  const { tone, word } = WEBHOOK_STATES[row.status];
  return (
    <PageHead
      title={
        <>
          <ProviderTile id={row.provider ?? (row.scheme as ProviderChoice)} name={providerName(row)} />
          {row.name}
        </>
      }
      badge={<StatusBadge tone={tone}>{word}</StatusBadge>}
      facts={
        <>
          <span role="group" aria-label="Webhook URL" className="inline-flex max-w-full min-w-0 items-center gap-1">
            <code className="min-w-0 [overflow-wrap:anywhere]">{row.url}</code>
            <CopyButton text={row.url} label="Copy webhook URL" />
          </span>
          <HeadFact icon={Hash}>
            <HereLink to={`/channels/${row.channelId}`} className="text-accent hover:underline">
              <Name kind="channel" id={row.channelId} />
            </HereLink>
          </HeadFact>
        </>
      }
      actions={may('developer') && <Actions of={row} onSample={onSample} />}
    />
  );
}

function Actions({ of: row, onSample }: { of: Webhook; onSample: () => void }) {
  const { at } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const sample = useSample(row.id);
  const [asked, setAsked] = useState<'disable' | 'delete'>();
  const become = async (status: Webhook['status']): Promise<void> => {
    await api.webhooks.update(row.id, { status }, at);
    await refresh();
  };
  const remove = async (): Promise<void> => {
    await api.webhooks.delete(row.id, at);
    go('/inbound');
    await refresh();
  };
  const isActive = row.status === 'active';
  return (
    <>
      {sample.data?.isSignable === true && (
        <Button icon={FlaskConical} onClick={onSample}>
          Send test request
        </Button>
      )}
      {!isActive && (
        <Button
          look="primary"
          icon={CirclePlay}
          onClick={() => void act(() => become('active'), { told: 'Webhook enabled' })}
        >
          Enable
        </Button>
      )}
      <MoreMenu
        groups={[
          {
            items: [
              {
                label: 'View messages',
                icon: Mail,
                render: <HereLink to="/messages" search={{ channel: row.channelId }} />,
              },
              isActive && { label: 'Disable…', icon: Ban, onSelect: () => setAsked('disable') },
            ],
          },
          { items: [{ label: 'Delete…', icon: Trash2, isDanger: true, onSelect: () => setAsked('delete') }] },
        ]}
      />
      {asked === 'disable' && (
        <Confirm
          title={`Disable ${row.name}?`}
          go="Disable webhook"
          typed={row.name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(() => become('disabled'), { told: 'Webhook disabled', undo: () => become('active') })}
        >
          Requests are rejected until you enable it. Most providers retry for a while, then give up.
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${row.name}?`}
          go="Delete webhook"
          isDanger
          typed={row.name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(remove, { told: 'Webhook deleted' })}
        >
          Its URL returns 404 from now on. Messages that it created stay.
        </Confirm>
      )}
    </>
  );
}
