import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { useKeys } from '../../lib/keys.ts';
import { policyText } from '../../lib/policy-text.ts';
import { useHere } from '../../lib/session.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name, shownUrl } from '../../parts/names.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId, namedId } from '../../ui/copy.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { DeliveryActions } from './delivery-actions.tsx';
import { isWaiting } from './delivery-state.tsx';
import { Outcome } from './outcome.tsx';
import { RequestBox, ResponseBox } from './request-response.tsx';
import { useDelivery, useRetry } from './use-delivery.ts';

/** The panel of a delivery: its state, its actions, its attempts, and the response to the selected one. */
export function DeliveryPanel({ id }: { id: string }) {
  const { may } = useHere();
  const { delivery, attempts, all, subscription } = useDelivery(id);
  const retrying = useRetry(id);
  const [chosenId, setChosenId] = useState<string>();
  const [view, setView] = useState('response');
  const chosen = all.find((each) => each.id === chosenId) ?? all[0];
  const choose = (by: 1 | -1): void => {
    const next = all[all.findIndex((each) => each.id === chosen?.id) + by];
    if (next !== undefined) setChosenId(next.id);
  };
  const row = delivery.data;
  useKeys({
    // Before a delivered one is retried, its button asks for confirmation.
    ...(may('developer') &&
      row !== undefined &&
      !isWaiting(row) &&
      row.status !== 'delivered' && { r: retrying.retryNow }),
    ']': () => choose(1),
    '[': () => choose(-1),
  });
  if (row === undefined) return <NotRead of={delivery} />;
  const { tone, word } = stateOfDelivery(row);
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-x-1.75 text-15 font-bold tracking-tight">
        <StatusIcon tone={tone} label={word} isSmall={false} />
        <HereLink
          to={`/deliveries/${row.id}`}
          className="inline-flex flex-wrap items-center gap-x-1.75 hover:underline"
        >
          {row.eventType ?? 'Message'}
          <ArrowRight size={14} strokeWidth={2} className="text-text-3" role="img" aria-label="to" />
          {subscription?.name ?? <Name kind="subscription" id={row.subscriptionId} />}
        </HereLink>
      </h2>
      <Outcome delivery={row} attempts={all} subscription={subscription} />
      <div className="flex flex-wrap items-center gap-2">
        <DeliveryActions
          delivery={row}
          subscription={subscription}
          carrier={chosen?.temporalWorkflowId}
          retrying={retrying}
        />
      </div>
      {(all.length > 0 || row.nextRetryAt !== undefined) && (
        <Section title="Attempts">
          <AttemptTimeline
            attempts={all}
            nextAt={row.status === 'failed' ? undefined : row.nextRetryAt}
            chosen={chosen?.id}
            onChoose={setChosenId}
          />
          {attempts.hasNextPage && (
            <Button
              size="small"
              className="mt-2"
              isBusy={attempts.isFetchingNextPage}
              onClick={() => void attempts.fetchNextPage()}
            >
              Load more
            </Button>
          )}
        </Section>
      )}
      {chosen !== undefined && (
        <div className="flex flex-col gap-2.5">
          <div className="flex items-center gap-2">
            <h3 className="font-bold">Attempt {chosen.number}</h3>
            <Segmented
              label="Part of the attempt"
              className="ml-auto"
              value={view}
              onChange={setView}
              options={[
                { value: 'response', label: 'Response' },
                { value: 'request', label: 'Request' },
              ]}
            />
          </div>
          {view === 'response' ? (
            <ResponseBox key={chosen.id} attempt={chosen} />
          ) : (
            <RequestBox key={chosen.id} attempt={chosen} messageId={row.messageId} />
          )}
        </div>
      )}
      <Section title="Details">
        <Facts
          facts={[
            [
              'Message',
              <HereLink key="message" to={`/messages/${row.messageId}`} className="mono text-accent hover:underline">
                {namedId(row.messageId)}
              </HereLink>,
            ],
            subscription !== undefined && [
              'Endpoint URL',
              <span key="url" className="mono">
                {shownUrl(subscription.webhookUrl)}
              </span>,
            ],
            subscription !== undefined && ['Retry policy', policyText(subscription.retryPolicy)],
            ['Created', <Ago key="created" at={row.createdAt} />],
            ['Delivery ID', <CopyId key="id" id={row.id} isNamed />],
          ]}
        />
      </Section>
    </div>
  );
}
