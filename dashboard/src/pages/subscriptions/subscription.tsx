import clsx from 'clsx';
import { Globe, Hash } from 'lucide-react';
import type { Subscription } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { clockText, dateText } from '../../lib/format.ts';
import { usePathId } from '../../lib/path-id.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { TimeRange } from '../../parts/data-list/time-range.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago, useZone } from '../../parts/moment.tsx';
import { Name, shownUrl } from '../../parts/names.tsx';
import { useSubscriptionStats } from '../../parts/use-failing.ts';
import { Page } from '../../shell/page.tsx';
import { TypeTag } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { HeadFact, PageHead } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { SubscriptionDeliveries } from '../deliveries/deliveries.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { SubscriptionActions, type SubscriptionActs, useSubscriptionActs } from './subscription-actions.tsx';
import { SubscriptionLetters } from './subscription-letters.tsx';
import { SubscriptionOverview } from './subscription-overview.tsx';
import { SubscriptionSettings } from './subscription-settings.tsx';
import { useOpenLetters, useSubscription } from './use-subscription.ts';

const TABS = ['overview', 'deliveries', 'dead-letters', 'settings', 'secret'] as const;
type Tab = (typeof TABS)[number];
const CRUMBS = [['Subscriptions', '/subscriptions']] as const;
/** Tabs whose content scrolls on its own; for all others the whole page scrolls. */
const LISTS: readonly Tab[] = ['deliveries', 'dead-letters'];
/** Search parameters that are kept when another tab is selected. */
const KEPT = ['since', 'until'];
/** Below this width the tabs have no room for the time range. */
const NARROW = 768;
const DAY_MS = 86_400_000;

/** One subscription: its health, its deliveries and dead letters, its settings and its secret. */
export function SubscriptionPage() {
  const id = usePathId();
  const { may } = useHere();
  const [search, change] = useAddress();
  const found = useSubscription(id);
  const stats = useSubscriptionStats(id);
  const acts = useSubscriptionActs(found.data);
  const letters = useOpenLetters(id);
  const isNarrow = useIsNarrower(NARROW);
  const row = found.data;
  if (row === undefined)
    return (
      <Page title="Subscription" crumbs={CRUMBS} hasHead>
        <NotRead of={found} />
      </Page>
    );
  const isOpen = may('developer');
  const asked = oneOf(search['tab'], TABS) ?? 'overview';
  const tab = !isOpen && (asked === 'settings' || asked === 'secret') ? 'overview' : asked;
  const isList = LISTS.includes(tab);
  const choose = (next: string): void =>
    change({
      ...Object.fromEntries(Object.keys(search).flatMap((name) => (KEPT.includes(name) ? [] : [[name, '']]))),
      tab: next === 'overview' ? '' : next,
    });
  return (
    <Page title={row.name} crumbs={CRUMBS} hasHead layout="full">
      <div className={clsx('flex min-h-0 grow flex-col', !isList && 'overflow-y-auto')}>
        <div className="shrink-0 px-6 pt-5 pb-1.5 max-md:px-4">
          <Head of={row} failingSince={stats?.failingSince} acts={acts} />
        </div>
        <Tabs
          layout="full"
          label="Subscription"
          value={tab}
          onChange={choose}
          end={tab === 'overview' && !isNarrow && <TimeRange usual="24h" />}
          {...(!isList && { className: 'shrink-0' })}
          tabs={[
            { value: 'overview', label: 'Overview' },
            { value: 'deliveries', label: 'Deliveries' },
            {
              value: 'dead-letters',
              label: 'Dead letters',
              ...(letters !== undefined &&
                letters.count > 0 && {
                  count: boundedText(letters),
                  isBad: true,
                }),
            },
            ...(isOpen
              ? [
                  { value: 'settings', label: 'Settings' },
                  { value: 'secret', label: 'Signing secret' },
                ]
              : []),
          ]}
        >
          {tab === 'deliveries' && <SubscriptionDeliveries id={id} channelId={row.channelId} />}
          {tab === 'dead-letters' && <SubscriptionLetters id={id} />}
          {!isList && (
            <div className="max-w-362 p-6 max-md:p-4">
              {tab === 'overview' && (
                <SubscriptionOverview of={row} failingSince={stats?.failingSince} hasRange={isNarrow} />
              )}
              {tab === 'settings' && <SubscriptionSettings key={row.id} of={row} />}
              {tab === 'secret' && <SigningSecret key={row.id} of={row} />}
            </div>
          )}
        </Tabs>
      </div>
    </Page>
  );
}

const SHOWN_TYPES = 3;

function Head({
  of: row,
  failingSince,
  acts,
}: {
  of: Subscription;
  failingSince: string | undefined;
  acts: SubscriptionActs;
}) {
  const { tone, word } = healthOf(row, { isFailing: failingSince !== undefined });
  const url = shownUrl(row.webhookUrl);
  const { eventTypes } = row;
  return (
    <PageHead
      title={row.name}
      badge={
        <StatusBadge tone={tone}>
          {word}
          <Since of={row} word={word} failingSince={failingSince} />
        </StatusBadge>
      }
      facts={
        <>
          <HeadFact icon={Globe}>
            <code className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">{url}</code>
            <CopyButton text={row.webhookUrl} label="Copy endpoint URL" />
          </HeadFact>
          <HeadFact icon={Hash}>
            <HereLink to={`/channels/${row.channelId}`} className="text-accent hover:underline">
              <Name kind="channel" id={row.channelId} />
            </HereLink>
          </HeadFact>
          <span className="inline-flex flex-wrap items-center gap-1.5">
            {eventTypes.length === 0
              ? 'All event types'
              : eventTypes.slice(0, SHOWN_TYPES).map((type) => <TypeTag key={type}>{type}</TypeTag>)}
            {eventTypes.length > SHOWN_TYPES && <span>+{eventTypes.length - SHOWN_TYPES}</span>}
          </span>
          <span className="max-md:hidden">
            Created <Ago at={row.createdAt} />
          </span>
        </>
      }
      actions={<SubscriptionActions of={row} acts={acts} />}
    />
  );
}

/** Returns ` since 07:48`, with the date if that was more than a day ago. */
function Since({ of: row, word, failingSince }: { of: Subscription; word: string; failingSince: string | undefined }) {
  const zone = useZone();
  const at =
    row.secretUnreadableSince ??
    (row.status !== 'active'
      ? row.statusChangedAt
      : row.circuit.state === 'closed'
        ? failingSince
        : row.circuit.openedAt);
  if (at === undefined || word === 'Active') return null;
  const now = Date.now();
  const text = now - Date.parse(at) < DAY_MS ? clockText(at, zone).slice(0, 5) : dateText(at, now, zone);
  return <time dateTime={at}> since {text}</time>;
}
