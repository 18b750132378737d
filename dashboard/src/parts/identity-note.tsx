import { useSession } from '../lib/session.ts';
import { Note } from '../ui/callout.tsx';

/** So long after a proof the service asks for none (docs/guides/manage-access.md). A minute less: the form is still to be written. */
const FRESH_MS = 540_000;

/** Whether the last proof of the session is young enough, so that nothing asks for another one. */
export function useIsProven(): boolean {
  const { session } = useSession();
  return Date.now() - Date.parse(session.authenticatedAt) < FRESH_MS;
}

/** Says beforehand that a form will ask for a proof of the session. */
export function IdentityNote() {
  return useIsProven() ? null : <Note>You'll be asked to confirm your identity.</Note>;
}
