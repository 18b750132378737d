import type { Delivery } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';

/** The last answer of a receiver in a few words, or why there is none. */
export function LastAnswer({ of: { response, error, held } }: { of: Delivery }) {
  const t = useTexts();
  if (held !== undefined) return t.held[held.reason];
  if (response !== undefined) return `${response.status} · ${response.latencyMs} ms`;
  return error === undefined ? '' : t.errorClasses[error.class];
}
