import { ArrowRight, ChevronDown, ChevronUp, Clock as ClockIcon, Globe, Hash, Mail } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api, type Attempt, type Delivery, type Subscription } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { usePathId } from '../../lib/path-id.ts';
import { useHere } from '../../lib/session.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name, shownUrl } from '../../parts/names.tsx';
import { Page } from '../../shell/page.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyId, namedId } from '../../ui/copy.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Columns, HeadFact, PageHead, Section } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { AttemptCode, AttemptScale, AttemptTimeline } from './attempt-timeline.tsx';
import { CompareAttempts } from './compare-attempts.tsx';
import { DeliveryActions } from './delivery-actions.tsx';
import { isWaiting } from './delivery-state.tsx';
import { NextSteps } from './next-steps.tsx';
import { Outcome } from './outcome.tsx';
import { RequestResponse } from './request-response.tsx';
import { useDelivery, useRetry } from './use-delivery.ts';

/** One delivery: its state, every attempt, and the request and response of the selected one. */
export function DeliveryPage() {
  const id = usePathId();
  const { may } = useHere();
  const { delivery, attempts, all, subscription } = useDelivery(id);
  const retrying = useRetry(id);
  const [chosenId, setChosenId] = useState<string>();
  const [isComparing, setIsComparing] = useState(false);
  const [isOfFailures, setIsOfFailures] = useState(false);
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
  const title =
    row === undefined ? 'Delivery' : `${row.eventType ?? 'Message'} → ${subscription?.name ?? 'subscription'}`;
  const isMixed = new Set(all.map(({ outcome }) => outcome)).size > 1;
  const shown = isMixed && isOfFailures ? all.filter(({ outcome }) => outcome === 'failed') : all;
  return (
    <Page
      title={title}
      crumbs={[['Deliveries', '/deliveries']]}
      crumb={<CopyId id={id} isNamed className="text-text" />}
      actions={<Neighbours id={id} subscriptionId={row?.subscriptionId} />}
      hasHead
    >
      {row === undefined ? (
        <NotRead of={delivery} />
      ) : (
        <>
          <Head row={row} subscription={subscription}>
            <DeliveryActions
              delivery={row}
              subscription={subscription}
              carrier={chosen?.temporalWorkflowId}
              retrying={retrying}
            />
          </Head>
          <div className="mt-4 mb-7">
            <Outcome
              delivery={row}
              attempts={all}
              subscription={subscription}
              actions={row.status === 'failed' && <DeadLetterLink delivery={row} />}
            />
          </div>
          <Columns
            isSideFirst
            side={
              <>
                <Section
                  title="Attempts"
                  end={
                    all.length > 1 && (
                      <button
                        type="button"
                        className="text-accent hover:underline"
                        onClick={() => setIsComparing(true)}
                      >
                        Compare
                      </button>
                    )
                  }
                >
                  {all.length > 1 && <AttemptScale attempts={all} />}
                  {isMixed && <Checkbox label="Failed only" isOn={isOfFailures} onChange={setIsOfFailures} />}
                  {all.length === 0 && attempts.isSuccess && row.nextRetryAt === undefined && (
                    <p className="text-text-2">Not attempted yet</p>
                  )}
                  <AttemptTimeline
                    attempts={shown}
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
                <NextSteps delivery={row} subscription={subscription} />
              </>
            }
          >
            {chosen !== undefined && (
              <Section
                title={
                  <span className="flex items-center gap-2">
                    Attempt {chosen.number}
                    <span className="font-normal text-text-2">of {row.attempts}</span>
                    <AttemptCode of={chosen} />
                  </span>
                }
                end={<Timing of={chosen} onEarlier={() => choose(1)} onLater={() => choose(-1)} />}
              >
                {chosen.errorMessage !== undefined && chosen.response !== undefined && (
                  <p className="mb-2.5 text-text-2">{chosen.errorMessage}</p>
                )}
                <RequestResponse key={chosen.id} attempt={chosen} messageId={row.messageId} />
              </Section>
            )}
          </Columns>
          {isComparing && <CompareAttempts attempts={all} onClose={() => setIsComparing(false)} />}
        </>
      )}
    </Page>
  );
}

function Head({
  row,
  subscription,
  children,
}: {
  row: Delivery;
  subscription: Subscription | undefined;
  children: React.ReactNode;
}) {
  const { tone, word } = stateOfDelivery(row);
  return (
    <PageHead
      title={
        <>
          {row.eventType ?? 'Message'}
          <ArrowRight size={18} strokeWidth={1.75} className="text-text-3" role="img" aria-label="to" />
          <HereLink to={`/subscriptions/${row.subscriptionId}`} className="hover:underline">
            {subscription?.name ?? <Name kind="subscription" id={row.subscriptionId} />}
          </HereLink>
        </>
      }
      badge={<StatusBadge tone={tone}>{word}</StatusBadge>}
      facts={
        <>
          {subscription !== undefined && (
            <HeadFact icon={Hash}>
              <HereLink to={`/channels/${subscription.channelId}`} className="text-accent hover:underline">
                <Name kind="channel" id={subscription.channelId} />
              </HereLink>
            </HeadFact>
          )}
          <HeadFact icon={Mail}>
            <HereLink to={`/messages/${row.messageId}`} className="mono text-accent hover:underline">
              {namedId(row.messageId)}
            </HereLink>
          </HeadFact>
          {subscription !== undefined && (
            <HeadFact icon={Globe}>
              <span className="mono">POST {shownUrl(subscription.webhookUrl)}</span>
            </HeadFact>
          )}
          <HeadFact icon={ClockIcon}>
            created <Ago at={row.createdAt} />
          </HeadFact>
        </>
      }
      actions={children}
    />
  );
}

/** How long the phases of an attempt took, and the keys that select the others. */
function Timing({
  of: { response, durationMs },
  onEarlier,
  onLater,
}: {
  of: Attempt;
  onEarlier: () => void;
  onLater: () => void;
}) {
  const headers = response?.latencyMs;
  return (
    <>
      {headers === undefined ? (
        <span className="text-12 text-text-2">{durationText(durationMs)} in total</span>
      ) : (
        <>
          <span className="text-12 text-text-2">
            {durationText(headers)} to response, {durationText(durationMs)} in total
          </span>
        </>
      )}
      <IconButton icon={ChevronUp} size="small" label="Later attempt" keys="[" onClick={onLater} />
      <IconButton icon={ChevronDown} size="small" label="Earlier attempt" keys="]" onClick={onEarlier} />
    </>
  );
}

/** The dead letter of a failed delivery. */
function DeadLetterLink({ delivery }: { delivery: Delivery }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'dead-letter-of', delivery.id, delivery.attempts],
    queryFn: async () =>
      (
        await api.deadLetters
          .list({ subscriptionId: delivery.subscriptionId, messageId: delivery.messageId, limit: 20 }, at)
          .page()
      ).data.find(({ deliveryId }) => deliveryId === delivery.id) ?? null,
    meta: { failure: 'own' },
  });
  if (found.data === undefined || found.data === null) return null;
  return (
    <Button size="small" render={<HereLink to={`/dead-letters/${found.data.id}`} />}>
      Open dead letter
    </Button>
  );
}

/** Links to the previous and next delivery of the same subscription. */
function Neighbours({ id, subscriptionId }: { id: string; subscriptionId: string | undefined }) {
  const go = useGo();
  if (subscriptionId === undefined) return null;
  return (
    <Button
      look="quiet"
      onClick={() => go('/deliveries', { subscription: subscriptionId, open: id })}
      className="max-md:hidden"
    >
      View in list
    </Button>
  );
}
