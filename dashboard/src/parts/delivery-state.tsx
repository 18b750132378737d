import type { Delivery } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { State } from './state.tsx';

/** A delivery that waits for something else than its time says so: it is not being tried. */
export function DeliveryState({ of: { status, held } }: { of: Delivery }) {
  const t = useTexts();
  return held === undefined ? <State of={status} /> : <State of="held" word={t.states.held} />;
}
