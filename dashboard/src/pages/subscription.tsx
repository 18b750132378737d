import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Subscription } from '../api/client.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/times.ts';
import { Ask } from '../parts/ask.tsx';
import { useActs } from '../parts/acts.tsx';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { PolicyDrawing } from '../parts/policy-drawing.tsx';
import { SecretBox } from '../parts/secret-box.tsx';
import { SubscriptionState } from '../parts/subscription-state.tsx';
import { Time } from '../parts/time.tsx';
import { useChannels } from '../parts/use-names.ts';
import { Waiting } from '../parts/waiting.tsx';
import { DeliveryList } from './deliveries.tsx';
import { SubscriptionForm } from './subscription-form.tsx';

const TABS = ['overview', 'deliveries', 'settings', 'secret'] as const;

export function SubscriptionPage() {
  // `as`: the path of router.tsx names it.
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return <SubscriptionView id={id} />;
}

/** One subscription: how its receiver does, what it gets, and how it is signed. */
export function SubscriptionView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const found = useQuery({
    queryKey: [path, 'subscription', id],
    queryFn: () => api.subscriptions.get(id, at),
    refetchInterval: 5_000,
  });
  if (found.data === undefined)
    return found.isError ? <Failure error={found.error} onRetry={() => void found.refetch()} /> : <Waiting />;
  const row = found.data;
  const tab = isInPanel ? 'overview' : (TABS.find((each) => each === search['tab']) ?? 'overview');
  return (
    <>
      {isInPanel ? <h2>{row.name}</h2> : <Heading title={row.name} />}
      <p className="sentence">
        <SubscriptionState of={row} /> <Why of={row} />
      </p>
      <Actions of={row} />
      {!isInPanel && (
        <div className="tabs" role="tablist">
          {TABS.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              onClick={() => change({ tab: each, open: '' })}
            >
              {t.subscriptions.tabs[each]}
            </button>
          ))}
        </div>
      )}
      {tab === 'overview' && <Facts of={row} />}
      {tab === 'deliveries' && <DeliveryList filters={{ subscription: id }} isFiltered={false} />}
      {tab === 'settings' && <SubscriptionForm key={row.updatedAt} subscription={row} />}
      {tab === 'secret' && <SecretBox id={id} />}
    </>
  );
}

function Why({ of: row }: { of: Subscription }) {
  const t = useTexts();
  if (row.secretUnreadableSince !== undefined) return <>{t.held.secret_unreadable}</>;
  if (row.status === 'paused') return <>{t.subscriptions.isPaused}</>;
  if (row.status === 'disabled') return <>{t.subscriptions.isDisabled}</>;
  if (row.circuit.state === 'closed') return <>{t.subscriptions.isWell}</>;
  return (
    <>
      {t.subscriptions.isOpen} {row.circuit.nextProbeAt !== undefined && <Time at={row.circuit.nextProbeAt} />}
    </>
  );
}

function Actions({ of: row }: { of: Subscription }) {
  const t = useTexts();
  const { at, path, may, environment } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const go = useGo();
  const [isDeleting, setIsDeleting] = useState(false);
  if (!may('developer')) return null;
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: [path] });
  return (
    <div className="buttons">
      <button
        type="button"
        className="button"
        onClick={() =>
          void act(
            async () => {
              const { id } = await api.subscriptions.test(row.id, undefined, at);
              go(`/messages/${id}`);
            },
            { told: t.subscriptions.testSent },
          )
        }
      >
        {t.subscriptions.test}
      </button>
      <button
        type="button"
        className="button"
        onClick={() =>
          void act(async () => {
            await (row.status === 'active'
              ? api.subscriptions.pause(row.id, at)
              : api.subscriptions.resume(row.id, at));
            await refresh();
          })
        }
      >
        {row.status === 'active' ? t.subscriptions.pause : t.subscriptions.resume}
      </button>
      <HereLink to="/dead-letters" search={{ subscription: row.id }} className="button">
        {t.nav.names['dead-letters']}
      </HereLink>
      <button type="button" className="button danger" onClick={() => setIsDeleting(true)}>
        {t.common.delete}
      </button>
      {isDeleting && (
        <Ask
          title={t.subscriptions.deleteTitle(row.name)}
          go={t.common.delete}
          isDanger
          typed={environment === 'live' ? row.name : undefined}
          onClose={() => setIsDeleting(false)}
          onGo={() =>
            void act(
              async () => {
                await api.subscriptions.delete(row.id, at);
                go('/subscriptions');
                await refresh();
              },
              { told: t.common.deleted },
            )
          }
        >
          <p>{t.subscriptions.deleteWhy}</p>
        </Ask>
      )}
    </div>
  );
}

function Facts({ of: row }: { of: Subscription }) {
  const t = useTexts();
  const channels = useChannels();
  return (
    <div className="columns">
      <dl className="facts box">
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.subscriptions.target}</dt>
        <dd className="mono">{row.webhookUrl}</dd>
        <dt>{t.fields.channel}</dt>
        <dd>
          <HereLink to={`/channels/${row.channelId}`}>{channels.nameOf(row.channelId)}</HereLink>
        </dd>
        <dt>{t.subscriptions.types}</dt>
        <dd>{row.eventTypes.length === 0 ? t.subscriptions.allTypes : row.eventTypes.join(', ')}</dd>
        {row.filter !== undefined && (
          <>
            <dt>{t.subscriptions.filter}</dt>
            <dd className="mono">{row.filter}</dd>
          </>
        )}
        {row.owner !== undefined && (
          <>
            <dt>{t.subscriptions.owner}</dt>
            <dd className="mono">{row.owner}</dd>
          </>
        )}
        <dt>{t.subscriptions.timeout}</dt>
        <dd>{durationText(row.timeoutMs)}</dd>
        {row.concurrency !== undefined && (
          <>
            <dt>{t.subscriptions.inFlight}</dt>
            <dd>{t.messages.of(row.concurrency.inFlight, row.concurrency.limit)}</dd>
            {row.concurrency.latencyMs !== undefined && (
              <>
                <dt>{t.subscriptions.latency}</dt>
                <dd>{durationText(row.concurrency.latencyMs)}</dd>
              </>
            )}
          </>
        )}
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
      </dl>
      <div className="box stack">
        <h2>{t.subscriptions.policy}</h2>
        <PolicyDrawing policy={row.retryPolicy} />
      </div>
    </div>
  );
}
