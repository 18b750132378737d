import type { Subscription } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { State } from './state.tsx';

/**
 * An open circuit counts more than the status: nothing is sent although it is active. So does a receiver that takes nothing, `isFailing`.
 */
export function SubscriptionState({
  of: { status, circuit },
  isFailing = false,
}: {
  of: Subscription;
  isFailing?: boolean;
}) {
  const t = useTexts();
  if (status === 'active' && circuit.state !== 'closed')
    return <State of={circuit.state} word={t.subscriptions.circuit[circuit.state]} />;
  if (status === 'active' && isFailing) return <State of="failed" word={t.subscriptions.failsNow} />;
  return <State of={status} />;
}
