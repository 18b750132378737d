import { hasEventType } from './filter-names.ts';
import type { FlowGraph } from './flow-graph.ts';

type OfTrigger = Pick<FlowGraph, 'trigger'>;
type Triggered = { id: string; name: string; trigger?: Readonly<Record<string, unknown>> };

const namesIn = (one: unknown, many: unknown): string[] => [
  ...new Set(
    [one, ...(Array.isArray(many) ? (many as unknown[]) : [])].filter(
      (each): each is string => typeof each === 'string' && each !== '',
    ),
  ),
];

/** Returns the channels that the trigger names. */
export const triggerChannels = ({ trigger: { config } }: OfTrigger): string[] =>
  namesIn(config['channelId'], config['channelIds']);

/** Returns the event types that the trigger names, and prefixes such as `order.*`. */
export const triggerTypes = ({ trigger: { config } }: OfTrigger): string[] =>
  namesIn(config['eventType'], config['eventTypes']);

/**
 * Returns the workflows that a published message starts. `hasFilter`: only if the payload matches a filter, which only
 * the service can evaluate.
 */
export const startedBy = <T extends Triggered>(
  workflows: readonly T[],
  { channelId, eventType }: { channelId: string; eventType: string },
): { workflow: T; hasFilter: boolean }[] =>
  workflows.flatMap((workflow) => {
    const { type, config: given } = workflow.trigger ?? {};
    if (type !== 'event') return [];
    // `as`: the service accepts no other config.
    const config = (given ?? {}) as Readonly<Record<string, unknown>>;
    const trigger = { trigger: { kind: type, config } };
    const channels = triggerChannels(trigger);
    const isMeant =
      (channels.length === 0 || channels.includes(channelId)) && hasEventType(triggerTypes(trigger), eventType);
    return isMeant ? [{ workflow, hasFilter: config['filter'] !== undefined }] : [];
  });
