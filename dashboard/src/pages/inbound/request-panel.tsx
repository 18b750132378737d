import { useQuery } from '@tanstack/react-query';
import { ArrowRight, Check, Download } from 'lucide-react';
import { api, isApiError, type InboundRequest } from '../../api/client.ts';
import { bodyFileOf } from '../../lib/body-file.ts';
import { download } from '../../lib/download.ts';
import { sizeText } from '../../lib/format.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { memberText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Exact } from '../../parts/moment.tsx';
import { TypeTag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { CopyId, namedId } from '../../ui/copy.tsx';
import { Facts } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { detailText, isAcceptedLater, outcomeOf, REASONS } from './words.ts';

/** The panel of a request: whether it was accepted, and the message that it became or the body that was kept. */
export function RequestPanel({ of: request }: { of: InboundRequest }) {
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const { tone, word } = outcomeOf(request);
  const { messageId, reason, detail, hasBody = false, address, bytes } = request;
  const why = reason === undefined ? undefined : REASONS[reason];
  const isKept = hasBody && messageId === undefined;
  const save = async (): Promise<void> => {
    const { extension, type, bytes: content } = bodyFileOf(await api.webhooks.getRequestBody(request.id, at));
    download(new Blob([content], { type }), `${request.id}.${extension}`);
  };
  const accept = async (): Promise<void> => {
    try {
      await api.webhooks.acceptRequest(request.id, at);
    } finally {
      // A request that is rejected again has a new reason.
      await refresh();
    }
  };
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-2 text-15 font-bold tracking-tight">
        {request.eventType ?? 'Request'}
        <StatusBadge tone={tone}>{word}</StatusBadge>
      </h2>
      {why !== undefined && messageId === undefined && (
        <Callout tone="failed" title={`${why}.`}>
          {detailText(detail)}
        </Callout>
      )}
      {isAcceptedLater(request) && why !== undefined && (
        <p className="text-text-2">Rejected at first: {why}. Accepted later.</p>
      )}
      {(messageId !== undefined || isKept) && (
        <div className="flex flex-wrap gap-2">
          {messageId !== undefined && (
            <Button iconEnd={ArrowRight} render={<HereLink to={`/messages/${messageId}`} />}>
              View message
            </Button>
          )}
          {isKept && may('developer') && (
            <Button look="primary" icon={Check} onClick={() => void act(accept, { told: 'Request accepted' })}>
              Accept request
            </Button>
          )}
          {isKept && (
            <Button icon={Download} onClick={() => void act(save, { told: () => undefined })}>
              Download body
            </Button>
          )}
        </div>
      )}
      {messageId !== undefined && <Payload messageId={messageId} />}
      <Facts
        facts={[
          ['Received', <Exact key="at" at={request.receivedAt} />],
          messageId !== undefined && [
            'Message',
            <HereLink key="message" to={`/messages/${messageId}`} className="mono text-accent hover:underline">
              {namedId(messageId)}
            </HereLink>,
          ],
          request.eventType !== undefined && ['Event type', <TypeTag key="type">{request.eventType}</TypeTag>],
          request.eventId !== undefined && ['Event ID', <code key="event">{request.eventId}</code>],
          request.isSample && ['Source', 'Test request'],
          address !== undefined && ['From', <code key="from">{address}</code>],
          bytes !== undefined && ['Size', sizeText(bytes)],
          ['ID', <CopyId key="id" id={request.id} isNamed />],
        ]}
      />
    </div>
  );
}

/** The payload of the message that a request became. */
function Payload({ messageId }: { messageId: string }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'message', messageId],
    queryFn: () => api.messages.get(messageId, at).withAnswer(),
    meta: { failure: 'own' },
    retry: false,
  });
  if (found.isPending) return <Skeleton label="Loading payload" />;
  if (found.data === undefined)
    return isApiError(found.error, 'NOT_FOUND') ? (
      <p className="text-text-2">The message is past its retention.</p>
    ) : (
      <FailureNote error={found.error} onRetry={() => void found.refetch()} />
    );
  return <CodeView label="Payload" text={memberText(found.data.text, 'payload') ?? ''} empty="Payload erased" />;
}
