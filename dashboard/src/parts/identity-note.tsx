import { useSession } from '../lib/session.ts';
import { Note } from '../ui/callout.tsx';

/**
 * How long after a verification the service does not ask for another one (docs/guides/manage-access.md), minus one
 * minute for filling in the form.
 */
const FRESH_MS = 540_000;

/** Whether the session was verified recently enough, so that nothing asks for it again. */
export function useIsProven(): boolean {
  const { session } = useSession();
  return Date.now() - Date.parse(session.authenticatedAt) < FRESH_MS;
}

/** Says in advance that a form will ask the user to verify the session. */
export function IdentityNote() {
  return useIsProven() ? null : <Note>You'll be asked to confirm your identity.</Note>;
}
