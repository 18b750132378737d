import { Clock, Hash, HardDrive } from 'lucide-react';
import { sizeText } from '../../lib/format.ts';
import { usePathId } from '../../lib/path-id.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { HeadFact, PageHead } from '../../ui/layout.tsx';
import { MessageActions, useAsked } from './message-actions.tsx';
import { MessageDeliveries } from './message-deliveries.tsx';
import { MessageFacts, Payload } from './message-parts.tsx';
import { MessageRuns } from './message-runs.tsx';
import { MessageBadge, MessageNote } from './message-state.tsx';
import { NotDeliveredTo } from './not-delivered.tsx';
import { useMessage } from './use-message.ts';

/** One message: who received it, what it has started, and its payload as it was published. */
export function MessagePage() {
  const id = usePathId();
  const go = useGo();
  const { message, row, payload, deliveries } = useMessage(id);
  const [asked, setAsked] = useAsked();
  return (
    <Page
      title={row?.eventType ?? 'Message'}
      crumbs={[['Messages', '/messages']]}
      crumb={<CopyId id={id} isNamed className="text-text" />}
      actions={
        row !== undefined && (
          <Button
            look="quiet"
            onClick={() => go('/messages', { channel: row.channelId, open: id })}
            className="max-md:hidden"
          >
            View in list
          </Button>
        )
      }
      hasHead
    >
      {row === undefined ? (
        <NotRead of={message} />
      ) : (
        <>
          <PageHead
            title={row.eventType}
            badge={<MessageBadge of={row} deliveries={deliveries.rows} isMore={deliveries.isMore} />}
            facts={
              <>
                <HeadFact icon={Hash}>
                  <HereLink to={`/channels/${row.channelId}`} className="text-accent hover:underline">
                    <Name kind="channel" id={row.channelId} />
                  </HereLink>
                </HeadFact>
                {payload !== undefined && (
                  <HeadFact icon={HardDrive}>{sizeText(new TextEncoder().encode(payload).length)}</HeadFact>
                )}
                {row.deliverAt === undefined && (
                  <HeadFact icon={Clock}>
                    published <Ago at={row.publishedAt} />
                  </HeadFact>
                )}
              </>
            }
            actions={<MessageActions of={row} asked={asked} onAsk={setAsked} />}
          />
          <div className="mt-4 empty:hidden">
            <MessageNote of={row} onCancel={() => setAsked('cancel')} />
          </div>
          <div className="mt-6 grid gap-x-8 gap-y-7 xl:grid-cols-[minmax(0,1fr)_minmax(360px,39%)]">
            <div className="flex min-w-0 flex-col gap-7">
              <MessageDeliveries id={id} of={deliveries} />
              <NotDeliveredTo of={row} />
              <MessageRuns id={id} />
            </div>
            <div className="flex min-w-0 flex-col gap-7">
              <Payload text={payload} />
              <MessageFacts of={row} />
            </div>
          </div>
        </>
      )}
    </Page>
  );
}
