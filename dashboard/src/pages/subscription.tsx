import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Subscription, type SubscriptionSecret } from '../api/client.ts';
import { usePathId } from '../lib/path-id.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { useActs } from '../parts/acts.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Figures } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Overlap, OverlapField } from '../parts/overlap-field.tsx';
import { PolicyDrawing } from '../parts/policy-drawing.tsx';
import { SecretBox } from '../parts/secret-box.tsx';
import { SubscriptionState } from '../parts/subscription-state.tsx';
import { SubscriptionWhy } from '../parts/subscription-why.tsx';
import { TabPanel, Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { useFailing } from '../parts/use-failing.ts';
import { ThingName } from '../parts/thing-name.tsx';
import { SubscriptionDeliveries } from './deliveries.tsx';
import { ReplaySince } from './replay-since.tsx';
import { SubscriptionForm } from './subscription-form.tsx';

const TABS = ['overview', 'deliveries', 'settings', 'secret'] as const;

export function SubscriptionPage() {
  return <SubscriptionView id={usePathId()} />;
}

/** One subscription: how its receiver does, what it gets, and how it is signed. */
export function SubscriptionView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const chosen = useTab(TABS);
  const found = useQuery({
    queryKey: [path, 'subscription', id],
    queryFn: () => api.subscriptions.get(id, at),
    refetchInterval: 5_000,
  });
  const isFailing = useFailing(id);
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const tab = isInPanel ? 'overview' : chosen;
  // That an owner routes nothing stands beside it.
  const warnings = row.warnings?.filter(({ field }) => field !== 'owner') ?? [];
  return (
    <>
      <Heading title={row.name} isInPanel={isInPanel} />
      <p className="sentence">
        <SubscriptionState of={row} isFailing={isFailing} /> <SubscriptionWhy of={row} isFailing={isFailing} />
      </p>
      {warnings.length > 0 && (
        <div className="note bad stack">
          <p>{t.more.warnings}</p>
          <ul>
            {warnings.map(({ field, reason }) => (
              <li key={field}>
                <code>{field}</code> {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Actions of={row} />
      {!isInPanel && <Tabs tabs={TABS} names={t.subscriptions.tabs} current={tab} />}
      <TabPanel tab={tab} isAlone={isInPanel}>
        {tab === 'overview' && (
          <>
            <Facts of={row} />
            <Figures of={{ subscriptionId: id }} />
          </>
        )}
        {tab === 'deliveries' && <SubscriptionDeliveries id={id} channelId={row.channelId} />}
        {tab === 'settings' && <SubscriptionForm key={row.id} subscription={row} />}
        {tab === 'secret' && <SigningSecret of={row} />}
      </TabPanel>
    </>
  );
}

/** The signing secret of a subscription. Every look at it is in the audit log. */
function SigningSecret({ of: { id, name } }: { of: Subscription }) {
  const t = useTexts();
  const { at, may } = useHere();
  const [hours, setHours] = useState<Overlap>('24');
  if (!may('developer')) return <NotAllowed isPart />;
  const all = ({ older, ...current }: SubscriptionSecret) => [current, ...older];
  return (
    <div className="stack">
      <p className="muted">{t.subscriptions.secretWhy}</p>
      <SecretBox
        name={name}
        label={t.subscriptions.tabs.secret}
        hidden="whsec_••••••••••••"
        show={async () => all(await api.subscriptions.getSecret(id, at))}
        rotate={async () => all(await api.subscriptions.rotateSecret(id, { overlapHours: Number(hours) }, at))}
      >
        <p>{t.subscriptions.rotateWhy}</p>
        <OverlapField label={t.subscriptions.overlap} value={hours} onChange={setHours} />
      </SecretBox>
    </div>
  );
}

function Actions({ of: row }: { of: Subscription }) {
  const t = useTexts();
  const { at, may, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [isReplaying, setIsReplaying] = useState(false);
  if (!may('developer')) return null;
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
          void act(
            async () => {
              await (row.status === 'active'
                ? api.subscriptions.pause(row.id, at)
                : api.subscriptions.resume(row.id, at));
              await refresh();
            },
            row.status === 'active'
              ? { told: t.states.paused, undo: () => api.subscriptions.resume(row.id, at).then(refresh) }
              : {},
          )
        }
      >
        {row.status === 'active' ? t.subscriptions.pause : t.subscriptions.resume}
      </button>
      <button type="button" className="button" onClick={() => setIsReplaying(true)}>
        {t.replays.ask}
      </button>
      {isReplaying && <ReplaySince subscription={row} onClose={() => setIsReplaying(false)} />}
      <HereLink to="/dead-letters" search={{ subscription: row.id }} className="button">
        {t.nav.names['dead-letters']}
      </HereLink>
      <DeleteButton
        title={t.subscriptions.deleteTitle(row.name)}
        why={t.subscriptions.deleteWhy}
        typed={environment === 'live' ? row.name : undefined}
        what={() => api.subscriptions.delete(row.id, at)}
        to="/subscriptions"
      />
    </div>
  );
}

function Facts({ of: row }: { of: Subscription }) {
  const t = useTexts();
  return (
    <div className="columns">
      <dl className="facts box">
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.subscriptions.target}</dt>
        <dd className="mono">{row.webhookUrl}</dd>
        <dt>{t.fields.channel}</dt>
        <dd>
          <HereLink to={`/channels/${row.channelId}`}>
            <ThingName kind="channel" id={row.channelId} />
          </HereLink>
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
            <dd>
              <span className="mono">{row.owner}</span> <span className="hint">{t.more.hints.owner}</span>
            </dd>
          </>
        )}
        <dt>{t.subscriptions.timeout}</dt>
        <dd>{durationText(row.timeoutMs, t.units)}</dd>
        <dt>{t.subscriptions.maxRetryAfter}</dt>
        <dd>{durationText(row.maxRetryAfter, t.units)}</dd>
        {row.concurrency !== undefined && (
          <>
            <dt>{t.subscriptions.inFlight}</dt>
            <dd>{t.messages.of(row.concurrency.inFlight, row.concurrency.limit)}</dd>
            {row.concurrency.latencyMs !== undefined && (
              <>
                <dt>{t.subscriptions.latency}</dt>
                <dd>{durationText(row.concurrency.latencyMs, t.units)}</dd>
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
