import type { ListFilter } from '../lib/list-filter.ts';
import { oneOf } from '../lib/search.ts';
import type { Texts } from '../texts/en.ts';

const STATES = ['pending', 'running', 'completed', 'cancelled', 'failed'] as const;

/** The state of replays that a text of the address means. */
export const replayStateOf = (text: string | undefined): (typeof STATES)[number] | undefined => oneOf(text, STATES);

/** The filter of replays of each kind by their state. */
export const replayStateFilter = (t: Texts): ListFilter => ({
  name: 'status',
  label: t.fields.status,
  options: STATES.map((each) => [each, t.states[each]]),
  failure: 'failed',
});

/** Filters of the list of replays to a subscription: the other lists of the page leave the part that is not theirs alone. */
export const MESSAGE_REPLAY_FILTERS = ['status', 'subscription'] as const;
