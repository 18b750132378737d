import type { Listening } from '../../../messaging/publishing/configs/event-triggers.ts';
import { cancelOnOf } from './cancel-watches.ts';
import { planOf } from './compile.ts';
import type { Plan } from '../configs/planned.ts';

/** Messages that a version listens to; undefined for one that waits for no message. Trigger and steps are JSON texts. */
export function listeningIn({ trigger, steps }: { trigger?: string; steps?: string }): Listening[] | undefined {
  const parsed = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));
  const found = listeningOf(planOf(parsed(trigger), parsed(steps)));
  return found.length === 0 ? undefined : found;
}

const listeningOf = ({ trigger, steps }: Plan): Listening[] => [
  ...cancelOnOf(trigger).map(({ eventTypes }) => ({ channelIds: [], eventTypes: [...eventTypes] })),
  ...steps.flatMap((step) => {
    if (step.type !== 'wait_for_event') return [];
    const { channelIds, eventTypes } = step;
    return [{ channelIds: [...channelIds], eventTypes: [...eventTypes] }];
  }),
];
