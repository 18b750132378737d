import type { ReactNode } from 'react';
import type { Attempt, Delivery, Subscription } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { counted, ERRORS, GIVE_UP_REASONS, HELD_WORDS, stateOfDelivery } from '../../lib/words.ts';
import { Ago, Clock, In } from '../../parts/moment.tsx';
import { Callout } from '../../ui/callout.tsx';

type Given = {
  delivery: Delivery;
  attempts: readonly Attempt[];
  subscription: Subscription | undefined;
  actions?: ReactNode;
};

/** The state of a delivery in one sentence with its numbers, which the user wants to know first. */
export function Outcome({ delivery, attempts, subscription, actions }: Given) {
  const { tone } = stateOfDelivery(delivery);
  const { title, more } = sentence(delivery, attempts, subscription);
  return (
    <Callout tone={tone} title={title} actions={actions} label="Status">
      {more}
    </Callout>
  );
}

function sentence(
  row: Delivery,
  attempts: readonly Attempt[],
  subscription: Subscription | undefined,
): { title: ReactNode; more: ReactNode } {
  const { response, error, held, nextRetryAt } = row;
  const outcome =
    response !== undefined
      ? `returned ${response.status} in ${durationText(response.latencyMs)}`
      : error === undefined
        ? 'got no response'
        : `failed: ${ERRORS[error.class]}`;
  if (row.status === 'delivered')
    return {
      title:
        row.attempts === 1
          ? `Delivered on the first attempt in ${durationText(response?.latencyMs ?? 0)}.`
          : `Delivered on attempt ${row.attempts}.`,
      more: row.attempts === 1 ? null : `The endpoint ${outcome}.`,
    };
  if (row.status === 'failed') return givenUp(row, attempts, outcome);
  const next =
    nextRetryAt === undefined ? null : (
      <>
        Next attempt <In at={nextRetryAt} />.
      </>
    );
  if (held !== undefined)
    return {
      title: `On hold: ${HELD_WORDS[held.reason].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}.`,
      more: (
        <>
          Since <Ago at={held.since} />. {next}
        </>
      ),
    };
  if (row.attempts === 0) return { title: 'Not attempted yet.', more: next };
  // The policy starts over with each manual retry. If the policy was shortened since, there is no end to show.
  const most = subscription === undefined ? undefined : subscription.retryPolicy.maxRetries + 1;
  const made = row.policyAttempts;
  if (made === 0) return { title: 'Retried manually. The retry policy starts over.', more: next };
  const of = most !== undefined && most >= made ? ` of ${most}` : '';
  return { title: `Attempt ${made}${of} ${outcome}.`, more: next };
}

function givenUp(row: Delivery, attempts: readonly Attempt[], outcome: string): { title: ReactNode; more: ReactNode } {
  const { reason } = row;
  const statuses = new Set(attempts.map(({ response, errorClass }) => response?.status ?? errorClass));
  const isAll = attempts.length === row.attempts && statuses.size === 1 && row.attempts > 1;
  const last = attempts[0];
  const at =
    last === undefined ? null : (
      <>
        {' '}
        at <Clock at={last.startedAt} />
      </>
    );
  if (reason !== 'exhausted' && reason !== undefined)
    return {
      title: (
        <>
          Gave up after {counted(row.attempts, 'attempt')}:{' '}
          {GIVE_UP_REASONS[reason]?.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()) ?? reason}.
        </>
      ),
      more: row.attempts === 0 ? null : `The last attempt ${outcome}.`,
    };
  return isAll
    ? {
        title: (
          <>
            All {row.attempts} attempts {outcome.replace(/ in [\d.]+ m?s$/, '')}, so Posthorn gave up{at}.
          </>
        ),
        more: 'It is a dead letter now.',
      }
    : {
        title: (
          <>
            Gave up{at} after {counted(row.attempts, 'attempt')}.
          </>
        ),
        more: `The last attempt ${outcome}. It is a dead letter now.`,
      };
}
