import type { Message } from '../../api/client.ts';
import { HereLink } from '../../parts/link.tsx';
import { Exact } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { CopyButton, CopyId } from '../../ui/copy.tsx';
import { Facts, Section } from '../../ui/layout.tsx';

type Traced = Message & { readonly traceId?: string };

/** The payload as it was published, digit for digit. */
export const Payload = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <CodeView label="Payload" text={text} language="json" root="payload" />;

/** All other attributes of a message. */
export function MessageFacts({ of: row, hasChannel = false }: { of: Traced; hasChannel?: boolean }) {
  const metadata = Object.entries(row.metadata ?? {});
  return (
    <>
      {metadata.length > 0 && (
        <Section title="Metadata">
          <Facts
            facts={metadata.map(([name, value]) => [
              <span key="name" className="mono [overflow-wrap:anywhere]">
                {name}
              </span>,
              <span key="value" className="mono">
                {value}
              </span>,
            ])}
          />
        </Section>
      )}
      <Section title="Details">
        <Facts
          facts={[
            hasChannel && [
              'Channel',
              <HereLink key="channel" to={`/channels/${row.channelId}`} className="text-accent hover:underline">
                <Name kind="channel" id={row.channelId} />
              </HereLink>,
            ],
            row.deliverAt !== undefined && ['Scheduled for', <Exact key="at" at={row.deliverAt} />],
            row.deliveryStatus !== 'scheduled' &&
              row.deliveryStatus !== 'cancelled' && ['Published', <Exact key="at" at={row.publishedAt} />],
            ['Message ID', <CopyId key="id" id={row.id} isNamed />],
            row.traceId !== undefined && [
              'Trace ID',
              <span key="trace" className="flex items-center gap-1">
                <span className="mono min-w-0 truncate">{row.traceId}</span>
                <CopyButton text={row.traceId} label="Copy trace ID" />
              </span>,
            ],
          ]}
        />
      </Section>
    </>
  );
}
