import { z } from 'zod';
import type { TriggerType } from '../../../contract/run-outline.ts';
import { scheduleConfig } from './schedule.ts';
import { channelIds, eventTypes, expression, matches, oneOrMany } from './fields.ts';

/** Entries of `cancelOn`: each message is held against all of them. */
const MOST_CANCELS = 10;

/** Parts that triggers by messages share. */
const ofMessages = {
  eventType: eventTypes.element.exactOptional(),
  eventTypes: eventTypes.exactOptional(),
  filter: expression.exactOptional(),
  cancelOn: z
    .array(z.strictObject({ eventTypes: eventTypes.min(1), match: matches.min(1) }))
    .min(1)
    .max(MOST_CANCELS)
    .exactOptional(),
  ...Object.fromEntries(
    ['dedupe', 'concurrency', 'debounce', 'batch', 'rateLimit', 'source'].map((name) => [
      name,
      z.never({ error: 'is not supported yet' }).exactOptional(),
    ]),
  ),
};

const ofTriggers = {
  event: z
    .strictObject({
      channelId: z.string().exactOptional(),
      channelIds: channelIds.exactOptional(),
      ...ofMessages,
    })
    .superRefine(oneOrMany(['channelId', 'channelIds'], ['eventType', 'eventTypes'])),
  webhook: z.strictObject({ webhookId: z.string(), ...ofMessages }).superRefine(oneOrMany(['eventType', 'eventTypes'])),
  schedule: scheduleConfig,
  manual: z.strictObject({}),
} as const satisfies Record<TriggerType, z.ZodType>;

export type EventTriggerConfig = z.output<typeof ofTriggers.event>;
export type WebhookTriggerConfig = z.output<typeof ofTriggers.webhook>;

export const triggerConfigOf = (type: TriggerType): z.ZodType => ofTriggers[type];
