import type { ReactNode } from 'react';
import type { Subscription } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { TypeTag } from '../../ui/badge.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { MatchCount } from './filter-matches.tsx';
import { PolicyDrawing } from './policy-drawing.tsx';
import { useFilterTest } from './use-filter-test.ts';

const LINK = 'text-accent hover:underline';
const CIRCUITS = {
  closed: { tone: 'delivered', word: 'Closed' },
  open: { tone: 'failed', word: 'Open' },
  half_open: { tone: 'retrying', word: 'Half-open' },
} as const;

/** The configuration of a subscription: when it retries, what it receives, and its limits. */
export function SubscriptionSide({ of: row }: { of: Subscription }) {
  const edit = <EditLink id={row.id} />;
  return (
    <>
      <Section title="Retry policy" end={edit}>
        <PolicyDrawing policy={row.retryPolicy} />
      </Section>
      <Section title={row.filter === undefined ? 'Event types' : 'Filter'} end={edit}>
        <Receives of={row} />
      </Section>
      <Section title="Delivery settings" end={edit}>
        <Settings of={row} />
      </Section>
    </>
  );
}

/** Links to the settings of a subscription. */
export function EditLink({ id }: { id: string }) {
  const { may } = useHere();
  if (!may('developer')) return null;
  return (
    <HereLink to={`/subscriptions/${id}`} search={{ tab: 'settings' }} className={LINK}>
      Edit
    </HereLink>
  );
}

/** Its event types and filter, and how many of the newest messages it would receive. */
function Receives({ of: row }: { of: Subscription }) {
  const { may } = useHere();
  const { filter = '', eventTypes, channelId } = row;
  const isNarrowed = filter !== '' || eventTypes.length > 0;
  const { messages = [] } = useFilterTest(
    channelId,
    { eventTypes, filter },
    { isWanted: may('developer') && isNarrowed },
  );
  const matched = messages.filter(({ outcome }) => outcome === 'match').length;
  const types = (
    <span className="flex min-w-0 flex-wrap gap-1.5">
      {eventTypes.length === 0 ? 'All event types' : eventTypes.map((type) => <TypeTag key={type}>{type}</TypeTag>)}
    </span>
  );
  const count = messages.length > 0 && (
    <p className="flex items-center gap-2.5">
      <span aria-hidden="true" className="h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-pressed">
        <span className="block h-full bg-accent-fill" style={{ width: `${(matched / messages.length) * 100}%` }} />
      </span>
      <span className="text-text-2">
        <MatchCount of={messages} />
      </span>
    </p>
  );
  if (filter === '')
    return (
      <div className="flex flex-col gap-2.5">
        {types}
        {count}
      </div>
    );
  return (
    <div className="flex flex-col gap-2.5">
      {eventTypes.length > 0 && types}
      <div className="overflow-hidden rounded-8 border border-line-strong">
        <pre className="bg-sunken px-3 py-2.5 whitespace-pre-wrap [overflow-wrap:anywhere]">{filter}</pre>
        {count !== false && <div className="border-t border-line px-3 py-2">{count}</div>}
      </div>
    </div>
  );
}

const None = ({ children = 'None' }: { children?: ReactNode }) => <span className="text-text-3">{children}</span>;

function Settings({ of: row }: { of: Subscription }) {
  const { may } = useHere();
  const { concurrency, maxConcurrency, rateLimit, circuitBreaker, circuit, owner } = row;
  const headers = Object.keys(row.headers);
  const { tone, word } = CIRCUITS[circuit.state];
  return (
    <Facts
      facts={[
        ['Timeout', durationText(row.timeoutMs)],
        ['Max Retry-After', durationText(row.maxRetryAfter)],
        [
          'Concurrency',
          <span key="concurrency">
            {maxConcurrency ?? 'Automatic'}{' '}
            {concurrency !== undefined && (
              <span className="text-text-3">
                {concurrency.inFlight} of {concurrency.limit} in flight
              </span>
            )}
          </span>,
        ],
        ['Rate limit', rateLimit === undefined ? <None key="rate" /> : `${rateLimit} per second`],
        [
          'Circuit breaker',
          circuitBreaker ? (
            <Status key="circuit" tone={tone}>
              {word}
            </Status>
          ) : (
            <None key="circuit">Off</None>
          ),
        ],
        concurrency?.latencyMs !== undefined && ['Average latency', durationText(concurrency.latencyMs)],
        ['Headers', headers.length === 0 ? <None key="headers" /> : <code key="headers">{headers.join(', ')}</code>],
        may('developer') && [
          'Signing secret',
          <span key="secret">
            <code className="text-text-3">whsec_•••••••</code>{' '}
            <HereLink to={`/subscriptions/${row.id}`} search={{ tab: 'secret' }} className={`ml-1.5 ${LINK}`}>
              Reveal
            </HereLink>
          </span>,
        ],
        owner !== undefined && ['Customer ID', <code key="owner">{owner}</code>],
        ['Created', <Ago key="created" at={row.createdAt} />],
        ['ID', <CopyId key="id" id={row.id} isNamed />],
      ]}
    />
  );
}
