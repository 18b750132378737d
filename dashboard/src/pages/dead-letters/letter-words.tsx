import { Split, Workflow } from 'lucide-react';
import type { DeadLetter } from '../../api/client.ts';
import { ERROR_CODES, GIVE_UP_REASONS } from '../../lib/words.ts';
import { Whose } from '../../parts/names.tsx';
import { CodeBadge } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Tone } from '../../ui/status.tsx';
import type { Cause } from './cause.ts';

/** The states of dead letters in rows and headings. */
export const LETTER_STATES = {
  open: { tone: 'failed', word: 'Open' },
  // Whether it was delivered since then is shown by the delivery.
  replayed: { tone: 'pending', word: 'Replayed' },
  discarded: { tone: 'cancelled', word: 'Discarded' },
} as const satisfies Readonly<Record<DeadLetter['status'], { tone: Tone; word: string }>>;

export const causeText = (reason: string): string => GIVE_UP_REASONS[reason] ?? reason;

/**
 * Returns the error of the last attempt, if it is more than a status code. A step's error contains the response body
 * after the code.
 */
export function messageOf({ lastError: { status, message } }: Pick<DeadLetter, 'lastError'>): string | undefined {
  if (message === undefined || status === undefined) return message;
  const rest = message.replace(`answered ${status}`, '').replace(/^: /, '');
  return rest === '' ? undefined : rest;
}

/** The last response of a dead letter, or the error if there was none. A step has its own code. */
export function LetterResponse({ of: { lastError } }: { of: Pick<DeadLetter, 'lastError'> }) {
  if (lastError.status !== undefined) return <CodeBadge code={lastError.status} />;
  if (lastError.class !== undefined) return <CodeBadge>{ERROR_CODES[lastError.class]}</CodeBadge>;
  return lastError.code === undefined ? (
    <span className="text-text-3">—</span>
  ) : (
    <CodeBadge>{lastError.code}</CodeBadge>
  );
}

export function CauseResponse({ of: { errorStatus, errorClass } }: { of: Cause }) {
  if (errorStatus !== undefined) return <CodeBadge code={errorStatus} />;
  return errorClass === undefined ? (
    <span className="text-text-3">—</span>
  ) : (
    <CodeBadge>{ERROR_CODES[errorClass]}</CodeBadge>
  );
}

/** The subscription or the workflow that failed, with the icon of its kind. */
export function Source({ of }: { of: { subscriptionId?: string; workflowId?: string } }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-top">
      <Icon of={of.subscriptionId === undefined ? Workflow : Split} isSmall className="text-text-3" />
      <span className="truncate">
        <Whose of={of} />
      </span>
    </span>
  );
}
