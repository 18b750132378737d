import type { InspectedRow } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import type { Tone } from '../../ui/status.tsx';

type Signature = InspectedRow['signature'];

export const SIGNATURE_CODES = ['verified', 'failed', 'unsigned'] as const;
export const SIGNATURE_WORDS: Readonly<Record<Signature['status'], { tone: Tone; word: string }>> = {
  verified: { tone: 'delivered', word: 'Valid' },
  failed: { tone: 'failed', word: 'Invalid' },
  unsigned: { tone: 'pending', word: 'Unsigned' },
};

const REASONS: Readonly<Record<NonNullable<Signature['reason']>, string>> = {
  header_missing: 'The header webhook-id or webhook-timestamp is missing.',
  timestamp_malformed: "The header webhook-timestamp isn't a number of seconds.",
  timestamp_off: 'The timestamp differs from the clock of Posthorn by more than 5 minutes.',
  message_unknown: 'webhook-id names no message that a subscription of this environment received.',
  secret_unreadable: "The signing secret of the subscription can't be decrypted.",
  signature_differs: 'No current secret of the subscription has signed this body.',
};

/** The meaning of a signature status, in a sentence. */
export function signatureText({ status, reason }: Signature): string {
  if (status === 'failed') return REASONS[reason ?? 'signature_differs'];
  return status === 'verified'
    ? 'A secret of the subscription has signed exactly this body.'
    : 'The header webhook-signature is missing.';
}

/** Returns a text such as `503 after 1.5 s`. */
export const sentText = ({ answer: { status, delayMs } }: Pick<InspectedRow, 'answer'>): string =>
  delayMs > 0 ? `${status} after ${durationText(delayMs)}` : String(status);
