import { z } from 'zod';
import type { TriggerType } from '../../../kernel/contract/run-outline.ts';
import { scheduleConfig } from './schedule.ts';
import { channelIds, duration, eventTypes, expression, matches, oneOrMany } from './fields.ts';

/** Maximum entries of `cancelOn`, because each message is compared with all of them. */
const MOST_CANCELS = 10;
const MOST_WINDOW_MS = 30 * 86_400_000;

/** Fields shared by triggers that react to messages. */
const ofMessages = {
  eventType: eventTypes.element.exactOptional(),
  eventTypes: eventTypes.exactOptional(),
  filter: expression.exactOptional(),
  dedupe: z
    .strictObject({ key: expression, window: duration({ min: 1_000, max: MOST_WINDOW_MS }).default(86_400_000) })
    .exactOptional(),
  concurrency: z
    .strictObject({
      limit: z.number().int().min(1).max(100),
      key: expression.exactOptional(),
      onLimit: z.enum(['queue', 'skip', 'cancelRunning']).default('queue'),
    })
    .exactOptional(),
  cancelOn: z
    .array(z.strictObject({ eventTypes: eventTypes.min(1), match: matches.min(1) }))
    .min(1)
    .max(MOST_CANCELS)
    .exactOptional(),
  ...Object.fromEntries(
    ['debounce', 'batch', 'rateLimit', 'source'].map((name) => [
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
  /** JSON Schema for the payload of a manual run. */
  manual: z.strictObject({ inputSchema: z.record(z.string(), z.unknown()).exactOptional() }),
} as const satisfies Record<TriggerType, z.ZodType>;

export type EventTriggerConfig = z.output<typeof ofTriggers.event>;
export type ManualTriggerConfig = z.output<typeof ofTriggers.manual>;
export type WebhookTriggerConfig = z.output<typeof ofTriggers.webhook>;

export const triggerConfigOf = (type: TriggerType): z.ZodType => ofTriggers[type];
