import { type ReactNode, useState } from 'react';
import type { Delivery, Subscription } from '../../api/client.ts';
import { errorLine } from '../../lib/error-line.ts';
import { healthOf } from '../../lib/subscription-health.ts';
import { useHere } from '../../lib/session.ts';
import { ERRORS } from '../../lib/words.ts';
import { Doer } from '../../parts/doer.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago, In, When } from '../../parts/moment.tsx';
import { useMarkers } from '../../parts/use-markers.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Note } from '../../ui/callout.tsx';
import { ReplayAllDialog } from '../replays/replay-all.tsx';
import { useLastFailure, useOpenLetters, usePausedBy, useRecentDeliveries } from './use-subscription.ts';

/** A deployment this long before the first failure may be its cause. */
const CAUSE_MS = 3_600_000;

type Given = { of: Subscription; failingSince: string | undefined };

/** Why a subscription does not deliver, since when, and what to do about it. Renders nothing while it is healthy. */
export function SubscriptionCallout({ of: row, failingSince }: Given) {
  const { may } = useHere();
  const { tone, why } = healthOf(row, { isFailing: failingSince !== undefined });
  const [isReplaying, setIsReplaying] = useState(false);
  const letters = useOpenLetters(row.id);
  if (why === undefined) return null;
  const isFailing = row.status === 'active' && row.secretUnreadableSince === undefined;
  const failures = (isFailing || (row.status === 'paused' && failingSince !== undefined)) && (
    <Button
      size="small"
      render={<HereLink to="/deliveries" search={{ subscription: row.id, status: 'failed,retrying' }} />}
    >
      View failures
    </Button>
  );
  const isReplayable = isFailing && letters !== undefined && letters.count > 0;
  return (
    <>
      <Callout
        tone={tone}
        label="Status"
        title={<Title of={row} failingSince={failingSince} why={why} />}
        actions={
          <>
            {failures}
            {may('developer') && isReplayable && (
              <Button size="small" onClick={() => setIsReplaying(true)}>
                Replay {letters.count.toLocaleString('en-US')}
                {letters.isMore && '+'} dead {letters.count === 1 ? 'letter' : 'letters'}…
              </Button>
            )}
            {may('developer') && row.secretUnreadableSince !== undefined && (
              <Button size="small" render={<HereLink to={`/subscriptions/${row.id}`} search={{ tab: 'secret' }} />}>
                Rotate secret…
              </Button>
            )}
          </>
        }
      >
        <Details of={row} failingSince={failingSince} />
      </Callout>
      {isReplaying && <ReplayAllDialog filter={{ subscriptionId: row.id }} onClose={() => setIsReplaying(false)} />}
    </>
  );
}

function Title({ of: row, failingSince, why }: { of: Subscription; failingSince: string | undefined; why: string }) {
  const by = usePausedBy(row);
  const isFailing = healthOf(row).why === undefined;
  const recent = useRecentDeliveries(row.id);
  if (row.secretUnreadableSince !== undefined) return `${why}.`;
  if (row.status === 'paused' && row.statusChangedAt !== undefined)
    return (
      <>
        Paused <Ago at={row.statusChangedAt} />
        {by !== undefined && (
          <>
            {' '}
            by <Doer id={by} />
          </>
        )}
        .
      </>
    );
  if (row.status === 'disabled' && row.statusChangedAt !== undefined)
    return (
      <>
        {why}
        {row.disabledReason !== undefined && ','} <Ago at={row.statusChangedAt} />.
      </>
    );
  if (!isFailing || failingSince === undefined) return `${why}.`;
  const result = commonResult(recent.data ?? []);
  return result === undefined ? `${why}.` : `All recent attempts ${result}.`;
}

/** Returns the response that all failing ones of the newest deliveries got, if it is the same. */
function commonResult(recent: readonly Delivery[]): string | undefined {
  const results = recent.flatMap(({ status, response, error }) => {
    if (status !== 'failed' && status !== 'retrying') return [];
    if (response !== undefined) return [`returned ${response.status}`];
    return error === undefined ? [] : [`failed: ${ERRORS[error.class]}`];
  });
  const [first] = results;
  return new Set(results).size === 1 ? first : undefined;
}

function Details({ of: row, failingSince }: { of: Subscription; failingSince: string | undefined }): ReactNode {
  if (row.secretUnreadableSince !== undefined)
    return (
      <>
        Since <When at={row.secretUnreadableSince} />.
      </>
    );
  if (row.status !== 'active')
    return (
      <>
        Messages are kept until you resume.{' '}
        {row.status === 'paused' && failingSince !== undefined && (
          <>
            Before, its attempts failed. <Failing of={row} since={failingSince} />
          </>
        )}
      </>
    );
  const { openedAt, nextProbeAt } = row.circuit;
  if (row.circuit.state !== 'closed')
    return (
      <>
        {openedAt !== undefined && (
          <>
            Circuit opened <Ago at={openedAt} />.{' '}
          </>
        )}
        {nextProbeAt !== undefined && (
          <>
            Next probe <In at={nextProbeAt} />.{' '}
          </>
        )}
        {failingSince !== undefined && <Failing of={row} since={failingSince} />}
      </>
    );
  return failingSince === undefined ? null : <Failing of={row} since={failingSince} />;
}

/** Since when it has been failing, and the response to the last failed attempt. */
function Failing({ of: { id }, since }: { of: Subscription; since: string }) {
  const last = useLastFailure(id, true);
  const said =
    last?.response !== undefined
      ? `returned ${last.response.status}`
      : last?.error && `failed: ${ERRORS[last.error.class]}`;
  const line = last?.response && errorLine(last.response.body);
  return (
    <>
      <FailingSince at={since} />
      {said !== undefined && ` The last attempt ${said}${line === undefined ? '.' : `: ${line}`}`}
    </>
  );
}

/** When it started to fail, and after which deployment. */
function FailingSince({ at }: { at: string }) {
  const began = Date.parse(at);
  const marks = useMarkers({ since: new Date(began - CAUSE_MS).toISOString(), until: at });
  const [mark] = marks;
  return (
    <>
      Failing since <When at={at} />
      {mark !== undefined && <>, shortly after {mark.name}</>}.
    </>
  );
}

/**
 * Stored values that a newer rule rejects, and a host that does not resolve. A customer id without effect is reported
 * at its field.
 */
export function SubscriptionWarnings({ of: { warnings = [] } }: { of: Subscription }) {
  const shown = warnings.filter(({ field }) => field !== 'owner');
  if (shown.length === 0) return null;
  return (
    <Note kind="warning">
      <p className="font-medium">{shown.length === 1 ? 'Check this setting' : 'Check these settings'}</p>
      <ul>
        {shown.map(({ field, reason }) => (
          <li key={field}>
            <code>{field}</code> {reason}
          </li>
        ))}
      </ul>
    </Note>
  );
}
