import { planOf } from './compile.ts';
import type {
  AskedChannel,
  EventTrigger,
  StoredTrigger,
  Listening,
} from '../../../messaging/publishing/configs/event-triggers.ts';
import type { Plan, CancelOn, Trigger } from '../configs/planned.ts';

/** Messages that cancel the runs of a trigger. */
export const cancelOnOf = (trigger: Trigger): readonly CancelOn[] => ('cancelOn' in trigger ? trigger.cancelOn : []);

/** Id of an entry of `cancelOn`, stored like a step id. Step ids cannot have brackets. */
export const watchId = (index: number): string => `cancelOn[${index}]`;

const NAME = /^cancelOn\[(\d+)\]$/;

export const isWatch = (stepId: string): boolean => NAME.test(stepId);

/** Returns the `cancelOn` entry with this id. */
export function watchOf(trigger: Trigger, stepId: string): CancelOn | undefined {
  const index = NAME.exec(stepId)?.[1];
  return index === undefined ? undefined : cancelOnOf(trigger)[Number(index)];
}

/** Returns the messages that a version waits for; undefined if there are none. Trigger and steps are JSON texts. */
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
 * Quoted texts and comments, which cannot contain names. Also matches an unclosed text, because otherwise the search
 * would start again at each of its quotes.
 */
const QUOTED = /"(?:[^\\"\n]|\\.)*"?|'(?:[^\\'\n]|\\.)*'?|\/\/[^\n]*/g;
const OF_EVENT = /(?<![\w.$])event\s*\.\s*(?=(?:payload|metadata|eventType)\b)/g;

/**
 * Converts a trigger's filter into the language of subscription filters, where `payload` means `event.payload`.
 * `event.` is replaced with spaces, so that positions in error messages fit the author's text.
 */
export function triggerFilter(expression: string): string {
  const bare = expression.replaceAll(QUOTED, (quoted) => ' '.repeat(quoted.length));
  let filter = expression;
  for (const { 0: name, index } of bare.matchAll(OF_EVENT))
    filter = filter.slice(0, index) + name.replaceAll(/\S/g, ' ') + filter.slice(index + name.length);
  return filter;
}

/**
 * Returns the trigger of a workflow as publishing uses it; undefined if it does not cover the channel. A stored trigger
 * that cannot be read starts nothing, because it must not stop the channel's publishers.
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
 * Whether messages of a channel can start a workflow with this trigger. A trigger without channels covers all of them,
 * but service events only if it names event types. Otherwise a workflow for all messages would also be started by its
 * own failures.
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
