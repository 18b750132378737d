import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { ownChannelsOf, targetChannelOf } from '../../lib/system-channel.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { useChannels } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Columns, PageHead, Section } from '../../ui/layout.tsx';
import { isSender, ProviderGrid, senderName } from './provider-grid.tsx';
import { ProviderTile } from './provider-tile.tsx';
import { SetupSteps } from './setup-steps.tsx';
import { WebhookForm } from './webhook-form.tsx';

const TITLE = 'Create inbound webhook';

/**
 * Creates a URL for another service: first the user selects the service, then enters what Posthorn needs to know about
 * it.
 */
export function NewInboundPage() {
  const { may } = useHere();
  const [search, change] = useAddress();
  const go = useGo();
  const channels = useChannels();
  if (!may('developer')) return <NoAccess title={TITLE} role="developer" />;
  const { provider } = search;
  const sender = isSender(provider) ? provider : undefined;
  const isRead = !channels.isPending && !channels.isError;
  const hasChannel = isRead && ownChannelsOf(channels.all).length > 0;
  return (
    <Page title={TITLE} crumbs={[['Inbound webhooks', '/inbound']]} hasHead={hasChannel}>
      {!isRead ? (
        <NotRead of={channels} />
      ) : !hasChannel ? (
        <Empty
          title="No channels yet"
          actions={
            <Button look="primary" render={<HereLink to="/channels/new" />}>
              Create channel
            </Button>
          }
        >
          <p>Requests become messages of a channel.</p>
        </Empty>
      ) : sender === undefined ? (
        <>
          <div className="mb-5">
            <PageHead title="Which service sends the requests?" />
          </div>
          <ProviderGrid onChoose={(next) => change({ provider: next })} />
        </>
      ) : (
        <>
          <div className="mb-6">
            <PageHead
              title={
                <>
                  <ProviderTile id={sender} name={senderName(sender)} />
                  {senderName(sender)}
                </>
              }
              actions={<Button onClick={() => change({ provider: '' })}>Change provider</Button>}
            />
          </div>
          <Columns
            side={
              <Section title="What comes next">
                <SetupSteps sender={sender} />
              </Section>
            }
          >
            <WebhookForm
              key={sender}
              sender={sender}
              first={targetChannelOf(channels.all, search['channel'])}
              onCancel={() => go('/inbound')}
            />
          </Columns>
        </>
      )}
    </Page>
  );
}
