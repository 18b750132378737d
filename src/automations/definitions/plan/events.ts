import { planOf } from './compile.ts';
import type {
  AskedChannel,
  EventTrigger,
  StoredTrigger,
} from '../../../messaging/publishing/configs/event-triggers.ts';
import type { Listening } from '../../../messaging/publishing/configs/event-triggers.ts';
import type { Plan, CancelOn, Trigger } from '../configs/planned.ts';

/** Messages that cancel the runs of a trigger. */
export const cancelOnOf = (trigger: Trigger): readonly CancelOn[] => ('cancelOn' in trigger ? trigger.cancelOn : []);

/** The name that an entry of `cancelOn` has beside the ids of steps, which have no brackets. */
export const watchId = (index: number): string => `cancelOn[${index}]`;

const NAME = /^cancelOn\[(\d+)\]$/;

export const isWatch = (stepId: string): boolean => NAME.test(stepId);

/** The entry of this name. */
export function watchOf(trigger: Trigger, stepId: string): CancelOn | undefined {
  const index = NAME.exec(stepId)?.[1];
  return index === undefined ? undefined : cancelOnOf(trigger)[Number(index)];
}

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

/**
 * Texts in quotes and comments: names in them are none. A text that is not closed matches too, else the search would start
 * anew at each of its quotes.
 */
const QUOTED = /"(?:[^\\"\n]|\\.)*"?|'(?:[^\\'\n]|\\.)*'?|\/\/[^\n]*/g;
const OF_EVENT = /(?<![\w.$])event\s*\.\s*(?=(?:payload|metadata|eventType)\b)/g;

/**
 * A trigger's filter in the words of a subscription's: `event.payload` and `payload` mean the same. Spaces stand where `event.` stood, so
 * that a fault is told with the place in its author's text.
 */
export function triggerFilter(expression: string): string {
  const bare = expression.replaceAll(QUOTED, (quoted) => ' '.repeat(quoted.length));
  let filter = expression;
  for (const { 0: name, index } of bare.matchAll(OF_EVENT))
    filter = filter.slice(0, index) + name.replaceAll(/\S/g, ' ') + filter.slice(index + name.length);
  return filter;
}

/**
 * The trigger of a workflow as publishing asks it; undefined where it does not cover the channel. A stored one that cannot be read begins
 * nothing: it must not be what stops the channel's publishers.
 */
export function eventTriggerOf(
  { workflowId, version, trigger }: StoredTrigger,
  channel: AskedChannel,
): EventTrigger | undefined {
  const planned = readTrigger(trigger);
  if (planned?.type !== 'event' && planned?.type !== 'webhook') return undefined;
  if (planned.type === 'event' && (planned.source !== 'channel' || !coversChannel(planned, channel))) return undefined;
  const { eventTypes, filter } = planned;
  return {
    workflowId,
    version,
    ...(planned.type === 'webhook' && { webhookId: planned.webhookId }),
    eventTypes,
    ...(filter !== undefined && { filter: triggerFilter(filter) }),
  };
}

/**
 * Whether messages of a channel may begin a workflow with this trigger. One without channels covers all of them, but service events only
 * where it names event types: a workflow that takes everything would otherwise be begun by its own failures, too.
 */
export const coversChannel = (
  { channelIds, eventTypes }: { channelIds: readonly string[]; eventTypes: readonly string[] },
  { channelId, isSystem }: AskedChannel,
): boolean => (channelIds.length === 0 ? !isSystem || eventTypes.length > 0 : channelIds.includes(channelId));

function readTrigger(trigger: string) {
  try {
    return planOf(JSON.parse(trigger), []).trigger;
  } catch {
    return undefined;
  }
}
