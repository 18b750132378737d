import { useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';

/** So long after a proof the service asks for none (docs/api.md, People). A minute less: the form is still to be written. */
const FRESH_MS = 540_000;

/** Says beforehand that the session will have to be proven for what a form does. Nothing while the last proof is young enough. */
export function ProofNotice() {
  const t = useTexts();
  const { session } = useSession();
  if (Date.now() - Date.parse(session.authenticatedAt) < FRESH_MS) return null;
  return <p className="note">{t.credentials.provesFirst}</p>;
}
