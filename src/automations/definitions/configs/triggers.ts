import { z } from 'zod';
import type { TriggerType } from '../../../contract/run-outline.ts';
import { scheduleConfig } from './schedule.ts';
import { eventTypes, expression } from './fields.ts';

const ofTriggers = {
  event: z
    .strictObject({
      channelId: z.string().exactOptional(),
      channelIds: z.array(z.string()).min(1).max(100).exactOptional(),
      eventType: eventTypes.element.exactOptional(),
      eventTypes: eventTypes.exactOptional(),
      filter: expression.exactOptional(),
      ...Object.fromEntries(
        ['dedupe', 'concurrency', 'cancelOn', 'debounce', 'batch', 'rateLimit', 'source'].map((name) => [
          name,
          z.never({ error: 'is not supported yet' }).exactOptional(),
        ]),
      ),
    })
    .superRefine((given, context) => {
      for (const [one, many] of [
        ['channelId', 'channelIds'],
        ['eventType', 'eventTypes'],
      ] as const)
        if (given[one] !== undefined && given[many] !== undefined)
          context.addIssue({ code: 'custom', path: [one], message: `must be left out beside ${many}` });
    }),
  schedule: scheduleConfig,
  manual: z.strictObject({}),
} as const;

export const SUPPORTED_TRIGGERS: readonly TriggerType[] = ['event', 'schedule', 'manual'];
export type SupportedTrigger = keyof typeof ofTriggers;
export type EventTriggerConfig = z.output<typeof ofTriggers.event>;

export const triggerConfigOf = (type: SupportedTrigger): z.ZodType => ofTriggers[type];
