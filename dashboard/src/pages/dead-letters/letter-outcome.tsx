import type { ReactNode } from 'react';
import type { DeadLetter } from '../../api/client.ts';
import { counted, ERRORS } from '../../lib/words.ts';
import { Doer } from '../../parts/doer.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { runSearchOf } from './letter-actions.tsx';
import { causeText, LETTER_STATES, messageOf } from './letter-words.tsx';
import { useReplayed } from './use-dead-letter.ts';

/** Says in one sentence why a dead letter failed permanently, and what has happened to it since. */
export function LetterOutcome({ of }: { of: DeadLetter }) {
  const { status, runId, deliveryId } = of;
  const sent = useReplayed(of);
  const isReplayed = status === 'replayed';
  const at = of.stepId !== undefined && (
    <>
      {' '}
      in <code>{of.stepId}</code>
    </>
  );
  return (
    <Callout
      label="Status"
      tone={sent?.tone ?? LETTER_STATES[status].tone}
      title={
        status === 'open' ? (
          <>
            Gave up after {counted(of.attempts, 'attempt')}
            {at}.
          </>
        ) : isReplayed ? (
          <>
            Replayed
            {of.replayedBy !== undefined && (
              <>
                {' '}
                by <Doer id={of.replayedBy} />
              </>
            )}
            {of.replayedAt !== undefined && (
              <>
                {' '}
                <Ago at={of.replayedAt} />
              </>
            )}
            {sent !== undefined && `; ${sent.text}`}.
          </>
        ) : (
          "Discarded. It can't be replayed."
        )
      }
      actions={
        <>
          {isReplayed && deliveryId !== undefined && <View to={`/deliveries/${deliveryId}`}>View delivery</View>}
          {runId !== undefined && (
            <View to={`/runs/${runId}`} search={isReplayed ? {} : runSearchOf(of)}>
              {isReplayed ? 'View run' : 'View failed step'}
            </View>
          )}
        </>
      }
    >
      {status === 'open' ? (
        <Why of={of} />
      ) : (
        <>
          {isReplayed ? 'Before, it' : 'It'} gave up after {counted(of.attempts, 'attempt')}
          {at}. <Why of={of} />
        </>
      )}
    </Callout>
  );
}

function View({
  to,
  search = {},
  children,
}: {
  to: string;
  search?: Readonly<Record<string, string>>;
  children: string;
}) {
  return (
    <Button
      size="small"
      render={
        <HereLink to={to} search={search}>
          {children}
        </HereLink>
      }
    >
      {children}
    </Button>
  );
}

/** The cause, if the number of attempts does not say it, and how the last attempt failed. */
function Why({ of }: { of: DeadLetter }): ReactNode {
  const { reason, lastError, kind } = of;
  const message = messageOf(of);
  const last = kind === 'run' ? 'It' : 'The last one';
  const how = message ?? (lastError.class === undefined ? undefined : lowered(ERRORS[lastError.class]));
  return [
    reason !== 'exhausted' && reason !== 'failed_step' && `${causeText(reason)}.`,
    lastError.status !== undefined
      ? `${last} returned ${lastError.status}${message === undefined ? '.' : `: ${ended(message)}`}`
      : how !== undefined && `${last} failed: ${ended(how)}`,
  ]
    .filter((part) => part !== false)
    .join(' ');
}

const lowered = (text: string): string => text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
