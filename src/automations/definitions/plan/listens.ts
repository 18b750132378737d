import { wantsEventType } from '../../../kernel/words/event-types.ts';
import { cancelOnOf } from './cancel-watches.ts';
import { planOf } from './compile.ts';
import type { Plan } from '../configs/planned.ts';

/** Messages that a step may wait for, or that may cancel a run. Empty lists stand for all. */
export type Listening = { channelIds: string[]; eventTypes: string[] };

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

/** Whether messages of this channel may be among them. */
export const isForChannel = ({ channelIds }: Listening, channelId: string): boolean =>
  channelIds.length === 0 || channelIds.includes(channelId);

/** Whether a message of this channel is one of them. */
export const hears = (
  listening: Listening,
  { channelId, eventType }: { channelId: string; eventType: string },
): boolean => isForChannel(listening, channelId) && wantsEventType(listening.eventTypes, eventType);
