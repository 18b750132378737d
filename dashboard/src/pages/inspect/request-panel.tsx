import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { api, type InspectedRequest } from '../../api/client.ts';
import { durationText, sizeText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Exact } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { CodeBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CodeFacts } from '../../ui/code/code-box.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { CopyId, namedId } from '../../ui/copy.tsx';
import { Facts } from '../../ui/layout.tsx';
import { SIGNATURE_WORDS, signatureText } from './words.ts';

/** One request as it arrived: the status of its signature, its headers and the exact body. */
export function InspectedRequestPanel({ id }: { id: string }) {
  const { at, path, may } = useHere();
  const found = useQuery({
    queryKey: [path, 'inspected request', id],
    queryFn: () => api.inspectors.getRequest(id, at),
    // A stored request never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (found.data === undefined) return <NotRead of={found} />;
  const row = found.data;
  const { status, messageId, subscriptionId } = row.signature;
  const { tone, word } = SIGNATURE_WORDS[status];
  return (
    <div className="flex flex-col gap-5">
      <h2 className="mono text-15 font-bold [overflow-wrap:anywhere]">
        {row.method} {row.path === '' ? '/' : row.path}
      </h2>
      <Callout
        tone={tone}
        label="Signature"
        title={`${word}.`}
        actions={
          status === 'failed' &&
          messageId !== undefined &&
          may('developer') && (
            <Button
              size="small"
              icon={ShieldCheck}
              render={
                <HereLink
                  to="/doctor"
                  search={{ message: messageId, ...(subscriptionId !== undefined && { subscription: subscriptionId }) }}
                />
              }
            >
              Check signature
            </Button>
          )
        }
      >
        {signatureText(row.signature)}
      </Callout>
      <CodeView
        label="Body"
        text={row.body}
        empty="Empty body"
        {...((row.encoding === 'base64' || row.isCut) && { language: 'text' as const })}
        above={<CodeFacts facts={row.headers.map(({ name, value }) => [name, value] as const)} />}
        {...(noteOf(row) !== undefined && { note: noteOf(row) })}
      />
      <Facts
        facts={[
          ['Received', <Exact key="at" at={row.arrivedAt} />],
          [
            'Response',
            <span key="response" className="inline-flex items-center gap-2">
              <CodeBadge code={row.answer.status} />
              {row.answer.delayMs > 0 && <span className="text-text-2">after {durationText(row.answer.delayMs)}</span>}
            </span>,
          ],
          messageId !== undefined && [
            'Message',
            <HereLink key="message" to={`/messages/${messageId}`} className="mono text-accent hover:underline">
              {namedId(messageId)}
            </HereLink>,
          ],
          subscriptionId !== undefined && [
            'Subscription',
            <HereLink
              key="subscription"
              to={`/subscriptions/${subscriptionId}`}
              className="text-accent hover:underline"
            >
              <Name kind="subscription" id={subscriptionId} />
            </HereLink>,
          ],
          ['Size', sizeText(row.bytes)],
          ['ID', <CopyId key="id" id={row.id} isNamed />],
        ]}
      />
    </div>
  );
}

function noteOf({ encoding, isCut, bytes }: InspectedRequest): string | undefined {
  if (isCut) return `first 256 KiB of ${sizeText(bytes)}`;
  return encoding === 'base64' ? 'binary, shown as base64' : undefined;
}
