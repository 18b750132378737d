import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, type Delivery } from '../api/client.ts';
import { useKeys } from '../lib/keys.ts';
import { useRefresh, useWatch } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { useActs } from '../parts/acts.tsx';
import { AskButton } from '../parts/ask-button.tsx';
import { AttemptBox } from '../parts/attempt-box.tsx';
import { AttemptDiff } from '../parts/attempt-diff.tsx';
import { AttemptLine } from '../parts/attempt-line.tsx';
import { DeliveryState } from '../parts/delivery-state.tsx';
import { Check } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { useOneAtATime } from '../parts/one-at-a-time.ts';
import { PolicyDrawing } from '../parts/policy-drawing.tsx';
import { SignedCurl } from '../parts/signed-curl.tsx';
import { Time, Until } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';

/**
 * Whether a retry would change nothing: it was never tried, or its retry is asked for, and it waits for its turn. A fault of the service
 * holds no longer.
 */
export const isWaiting = ({ status, error }: Delivery): boolean => status === 'pending' && error === undefined;

/** One delivery: where it stands in one sentence, and every attempt with what came back. */
export function DeliveryView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act } = useActs();
  const { run } = useOneAtATime();
  const refresh = useRefresh();
  const watch = useWatch();
  const [isSigning, setIsSigning] = useState(false);
  const [isOfFailures, setIsOfFailures] = useState(false);
  const delivery = useQuery({
    queryKey: [path, 'delivery', id],
    queryFn: () => api.deliveries.get(id, at),
    // Equal answers are one value (structural sharing).
    refetchInterval: ({ state: { data } }) =>
      watch({
        seen: data,
        isOver: data?.status === 'delivered' || data?.status === 'failed',
        dueAt: data?.nextRetryAt,
      }),
  });
  const made = delivery.data?.attempts ?? 0;
  const attempts = useInfiniteQuery({
    queryKey: [path, 'attempts', id, made],
    queryFn: ({ pageParam }) => api.deliveries.listAttempts(id, { limit: 100, cursor: pageParam }, at).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    enabled: delivery.isSuccess,
    placeholderData: (before) => before,
  });
  const subscription = useQuery({
    queryKey: [path, 'subscription', delivery.data?.subscriptionId],
    queryFn: () => api.subscriptions.get(delivery.data?.subscriptionId ?? '', at),
    enabled: delivery.isSuccess,
    retry: false,
  });
  const retry = async (): Promise<void> => {
    await api.deliveries.retry(id, at);
    await refresh();
  };
  const retryNow = (): void => run(() => act(retry, { told: t.deliveries.retryAsked }));
  const tries = useRef<HTMLOListElement>(null);
  useKeys({
    // A delivered one is asked about first, by its button.
    ...(may('developer') &&
      delivery.isSuccess &&
      !isWaiting(delivery.data) &&
      delivery.data.status !== 'delivered' && { r: retryNow }),
    ']': () => openTry(tries.current, 1),
    '[': () => openTry(tries.current, -1),
  });
  if (delivery.data === undefined) return <Unread of={delivery} />;
  const row = delivery.data;
  const all = attempts.data?.pages.flatMap(({ data }) => data) ?? [];
  const isMixed = new Set(all.map(({ outcome }) => outcome)).size > 1;
  const longestMs = Math.max(...all.map(({ durationMs }) => durationMs));
  const most = subscription.data === undefined ? undefined : subscription.data.retryPolicy.maxRetries + 1;
  return (
    <>
      <Heading title={row.id} isMono isInPanel={isInPanel} />
      <p className="sentence">
        <DeliveryState of={row} /> <Sentence of={row} most={most} />
      </p>
      {may('developer') && (
        <div className="buttons">
          {row.status === 'delivered' ? (
            <AskButton
              label={t.deliveries.retry}
              title={t.deliveries.againTitle}
              why={t.deliveries.againWhy}
              name={subscription.data?.name ?? row.subscriptionId}
              told={t.deliveries.retryAsked}
              what={retry}
            />
          ) : (
            <button type="button" className="button" disabled={isWaiting(row)} onClick={retryNow}>
              {t.deliveries.retry}
            </button>
          )}
          <button type="button" className="button" onClick={() => setIsSigning(true)}>
            {t.doctor.curl}
          </button>
          <HereLink
            to="/doctor"
            search={{ message: row.messageId, subscription: row.subscriptionId }}
            className="button plain"
          >
            {t.doctor.check}
          </HereLink>
        </div>
      )}
      {isSigning && <SignedCurl delivery={row} onClose={() => setIsSigning(false)} />}
      <dl className="facts">
        <dt>{t.fields.message}</dt>
        <dd>
          <HereLink to={`/messages/${row.messageId}`} className="mono">
            {row.messageId}
          </HereLink>
        </dd>
        <dt>{t.fields.subscription}</dt>
        <dd>
          <HereLink to={`/subscriptions/${row.subscriptionId}`}>
            {subscription.data?.name ?? row.subscriptionId}
          </HereLink>
          {subscription.data !== undefined && <div className="muted mono">{subscription.data.webhookUrl}</div>}
        </dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
      </dl>
      {subscription.data !== undefined && row.status !== 'delivered' && (
        <section className="section">
          <h2>{t.subscriptions.policy}</h2>
          <PolicyDrawing policy={subscription.data.retryPolicy} made={row.attemptsOfRound} />
        </section>
      )}
      <section className="section">
        <h2>{t.deliveries.attempts(row.attempts)}</h2>
        {all.length > 1 && <AttemptLine attempts={all} nextAt={row.nextRetryAt} />}
        {all.length === 0 && attempts.isSuccess && <p className="muted">{t.deliveries.noAttempt}</p>}
        {isMixed && <Check label={t.list.failuresOnly} isOn={isOfFailures} onChange={setIsOfFailures} />}
        <ol className="stack" ref={tries}>
          {all.map((attempt, position) =>
            isMixed && isOfFailures && attempt.outcome !== 'failed' ? null : (
              <AttemptBox
                key={attempt.id}
                attempt={attempt}
                isOpen={position === 0}
                before={all[position + 1]}
                messageId={row.messageId}
                longestMs={longestMs}
              />
            ),
          )}
        </ol>
        {all.length > 1 && <AttemptDiff attempts={all} />}
        <MoreButton
          hasMore={attempts.hasNextPage}
          isReading={attempts.isFetchingNextPage}
          onMore={attempts.fetchNextPage}
        />
      </section>
    </>
  );
}

/** Opens the try before or behind the one that has the focus, and gives it the focus; the first one where none has it. */
function openTry(tries: HTMLElement | null, by: 1 | -1): void {
  const all = [...(tries?.querySelectorAll('details.attempt') ?? [])].filter(
    (each) => each instanceof HTMLDetailsElement,
  );
  const at = all.findIndex((each) => each.contains(document.activeElement));
  const next = all[at === -1 ? 0 : at + by];
  if (next === undefined) return;
  next.open = true;
  next.querySelector('summary')?.focus();
}

/** Where a delivery stands, with its numbers: "Try 3 of 11 got 503 after 82 ms. Next in 41 s". */
function Sentence({ of: row, most }: { of: Delivery; most: number | undefined }) {
  const t = useTexts();
  const { response, error, held, nextRetryAt, reason } = row;
  const outcome =
    response !== undefined
      ? t.deliveries.got(response.status, durationText(response.latencyMs, t.units))
      : error === undefined
        ? t.deliveries.gotNothing
        : t.errorClasses[error.class];
  if (row.status === 'delivered') return <>{t.deliveries.arrived(row.attempts, outcome)}</>;
  // The policy counts anew from each retry, so "Try 12 of 11" was said after one. A policy that was made shorter since says no end.
  const tries = row.attemptsOfRound;
  const end = most !== undefined && most >= tries ? most : undefined;
  const tried =
    row.attempts === 0
      ? t.deliveries.notTried
      : tries === 0
        ? t.deliveries.triedBefore(row.attempts, outcome)
        : t.deliveries.tried(tries, end, outcome);
  return (
    <>
      {tried} {row.status === 'failed' && reason !== undefined && t.deliveries.givenUp(t.reasons[reason])}
      {held !== undefined && (
        <>
          {t.deliveries.waitsFor(t.held[held.reason])} ({t.common.since} <Time at={held.since} />)
        </>
      )}{' '}
      {nextRetryAt !== undefined && row.status !== 'failed' && (
        <>
          {t.deliveries.next} <Time at={nextRetryAt} />, {t.deliveries.in} <Until at={nextRetryAt} />.
        </>
      )}
    </>
  );
}
