import { type ReactNode, useState } from 'react';
import { useTexts } from '../lib/texts.ts';
import type { Texts } from '../texts/en.ts';

/** Every state is a shape, a word and a colour. */
const SHAPES = { delivered: '●', failed: '■', retrying: '◆', pending: '○', held: '‖' } as const;
type Look = keyof typeof SHAPES;

const LOOKS: Readonly<Record<string, Look>> = {
  delivered: 'delivered',
  active: 'delivered',
  completed: 'delivered',
  closed: 'delivered',
  replayed: 'delivered',
  failed: 'failed',
  open: 'failed',
  disabled: 'failed',
  revoked: 'failed',
  suspended: 'failed',
  retrying: 'retrying',
  running: 'retrying',
  waiting: 'held',
  half_open: 'retrying',
  held: 'held',
  paused: 'held',
};

/** The shape and the colour of a state. */
function shapeOf(state: string): { look: Look; shape: string } {
  const look = LOOKS[state] ?? 'pending';
  return { look, shape: SHAPES[look] };
}

/** The word of a state. One that a newer service knows is shown by its own name. */
const stateWord = ({ states }: Texts, state: string): string =>
  state in states ? states[state as keyof typeof states] : state;

/** A state with its word, of deliveries, messages, subscriptions, replays and credentials. */
export function State({ of: state, word }: { of: string; word?: ReactNode }) {
  const t = useTexts();
  const { look, shape } = shapeOf(state);
  const [seen, setSeen] = useState({ state, changes: 0 });
  if (seen.state !== state) setSeen({ state, changes: seen.changes + 1 });
  return (
    // Another element for each change, so that each one is seen.
    <span key={seen.changes} className={seen.changes > 0 ? `state ${look} changed` : `state ${look}`}>
      <span className="shape" aria-hidden="true">
        {shape}
      </span>
      {word ?? stateWord(t, state)}
    </span>
  );
}
