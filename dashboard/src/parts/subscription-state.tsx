import type { Subscription } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { State } from './state.tsx';

/** An open circuit counts more than the status: nothing is sent although it is active. */
export function SubscriptionState({ of: { status, circuit } }: { of: Subscription }) {
  const t = useTexts();
  if (status === 'active' && circuit.state !== 'closed')
    return <State of={circuit.state} word={t.subscriptions.circuit[circuit.state]} />;
  return <State of={status} />;
}
