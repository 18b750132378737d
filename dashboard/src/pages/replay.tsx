import { usePathId } from '../lib/path-id.ts';
import { DeliveryRetryView } from './delivery-retries.tsx';
import { MessageReplayView } from './message-replays.tsx';
import { LetterReplayView } from './replays.tsx';

/** One replay of any kind: its id says which. */
export function ReplayPage() {
  const id = usePathId();
  if (id.startsWith('rty_')) return <DeliveryRetryView id={id} />;
  return id.startsWith('rpm_') ? <MessageReplayView id={id} /> : <LetterReplayView id={id} />;
}
