import type { Delivery } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { ERROR_CODES, HELD_WORDS } from '../../lib/words.ts';
import { CodeBadge } from '../../ui/badge.tsx';

/**
 * Whether a retry would change nothing, because the delivery has never been attempted, or its retry is already queued.
 * Does not apply to a delivery on hold after an internal error.
 */
export const isWaiting = ({ status, error }: Delivery): boolean => status === 'pending' && error === undefined;

/** The last response of the endpoint in a few words, or why there is none. */
export function LastResponse({ of: { response, error, held } }: { of: Delivery }) {
  if (held !== undefined) return <span className="text-text-2">{HELD_WORDS[held.reason]}</span>;
  if (response !== undefined)
    return (
      <>
        <CodeBadge code={response.status} /> <span className="text-text-2">{durationText(response.latencyMs)}</span>
      </>
    );
  return error === undefined ? (
    <span className="text-text-3">—</span>
  ) : (
    <CodeBadge>{ERROR_CODES[error.class]}</CodeBadge>
  );
}
