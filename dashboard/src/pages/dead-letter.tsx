import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useKeys } from '../lib/keys.ts';
import { usePathId } from '../lib/path-id.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Doer } from '../parts/doer.tsx';
import { Heading } from '../parts/heading.tsx';
import { LastError } from '../parts/last-error.tsx';
import { HereLink } from '../parts/link.tsx';
import { useOneAtATime } from '../parts/one-at-a-time.ts';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ThingName } from '../parts/thing-name.tsx';

export function DeadLetterPage() {
  return <DeadLetterView id={usePathId()} />;
}

/** One dead letter: why it was given up, and what can be done about it. */
export function DeadLetterView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act, actLater } = useActs();
  const { run } = useOneAtATime();
  const refresh = useRefresh();
  const [isLeaving, setIsLeaving] = useState(false);
  const found = useQuery({
    queryKey: [path, 'dead-letter', id],
    queryFn: () => api.deadLetters.get(id, at),
    refetchInterval: 5_000,
  });
  const canReplay = may('developer') && found.data?.status === 'open' && !isLeaving;
  const replay = (): void =>
    run(() =>
      act(
        async () => {
          await api.deadLetters.replay(id, at);
          await refresh();
        },
        { told: t.deadLetters.oneReplayAsked },
      ),
    );
  useKeys(canReplay ? { r: replay } : {});
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  return (
    <>
      <Heading title={row.id} isMono isInPanel={isInPanel} />
      <p className="sentence">
        <State of={row.status} /> {t.deadLetters.sentence(row.attempts, t.reasons[row.reason])} {t.fields.lastError}:{' '}
        <LastError of={row} />.
      </p>
      {may('developer') && (
        <div className="buttons">
          <button type="button" className="button main" disabled={!canReplay} onClick={replay}>
            {t.deadLetters.replay}
          </button>
          <button
            type="button"
            className="button"
            disabled={row.status !== 'open' || isLeaving}
            onClick={() => {
              setIsLeaving(true);
              actLater(
                t.deadLetters.discarding,
                async () => {
                  try {
                    await api.deadLetters.discard(id, at);
                    await refresh();
                  } finally {
                    setIsLeaving(false);
                  }
                },
                { onUndone: () => setIsLeaving(false) },
              );
            }}
          >
            {t.deadLetters.discard}
          </button>
        </div>
      )}
      <dl className="facts">
        <dt>{t.fields.failedAt}</dt>
        <dd>
          <Time at={row.failedAt} />
        </dd>
        {row.lastError.message !== undefined && (
          <>
            <dt>{t.fields.lastError}</dt>
            <dd>{row.lastError.message}</dd>
          </>
        )}
        {row.eventType !== undefined && (
          <>
            <dt>{t.fields.eventType}</dt>
            <dd>{row.eventType}</dd>
          </>
        )}
        {row.messageId !== undefined && (
          <>
            <dt>{t.fields.message}</dt>
            <dd>
              <HereLink to={`/messages/${row.messageId}`} className="mono">
                {row.messageId}
              </HereLink>
            </dd>
          </>
        )}
        {row.subscriptionId !== undefined && (
          <>
            <dt>{t.fields.subscription}</dt>
            <dd>
              <HereLink to={`/subscriptions/${row.subscriptionId}`}>
                <ThingName kind="subscription" id={row.subscriptionId} />
              </HereLink>
            </dd>
          </>
        )}
        {row.deliveryId !== undefined && (
          <>
            <dt>{t.fields.delivery}</dt>
            <dd>
              <HereLink to={`/deliveries/${row.deliveryId}`} className="mono">
                {row.deliveryId}
              </HereLink>
            </dd>
          </>
        )}
        {row.workflowId !== undefined && (
          <>
            <dt>{t.workflows.one}</dt>
            <dd>
              <HereLink to={`/workflows/${row.workflowId}`}>
                <ThingName kind="workflow" id={row.workflowId} />
              </HereLink>
            </dd>
          </>
        )}
        {row.runId !== undefined && (
          <>
            <dt>{t.fields.run}</dt>
            <dd className="mono">
              <HereLink to={`/runs/${row.runId}`}>{row.runId}</HereLink>{' '}
              {row.stepId !== undefined && t.deadLetters.atStep(row.stepId)}
            </dd>
          </>
        )}
        {row.replayedAt !== undefined && (
          <>
            <dt>{t.deadLetters.replayedAt}</dt>
            <dd>
              <Time at={row.replayedAt} /> {row.replayedBy !== undefined && <Doer id={row.replayedBy} />}
            </dd>
          </>
        )}
      </dl>
    </>
  );
}
