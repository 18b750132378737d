import type { TriggerType } from '../../../kernel/contract/run-outline.ts';
import type { Trigger } from '../configs/planned.ts';
import { plannedSchedule } from '../configs/schedule.ts';
import {
  type EventTriggerConfig,
  type ManualTriggerConfig,
  triggerConfigOf,
  type WebhookTriggerConfig,
} from '../configs/triggers.ts';

/** Completes a stored trigger. A definition without one is begun by hand. */
export function plannedTrigger(trigger: unknown): Trigger {
  // `as`: see planOf.
  const { type, config = {} } = (trigger ?? { type: 'manual' }) as { type: TriggerType; config?: unknown };
  switch (type) {
    case 'manual': {
      // `as`: that is what the schema of the kind gives, and so below.
      const { inputSchema } = triggerConfigOf(type).parse(config) as ManualTriggerConfig;
      return { type, ...(inputSchema !== undefined && { inputSchema }) };
    }
    case 'schedule':
      return plannedSchedule(config);
    case 'webhook': {
      const given = triggerConfigOf(type).parse(config) as WebhookTriggerConfig;
      return { type, webhookId: given.webhookId, ...ofMessages(given) };
    }
    case 'event': {
      const given = triggerConfigOf(type).parse(config) as EventTriggerConfig;
      const { channelId, channelIds = channelId === undefined ? [] : [channelId] } = given;
      return { type, source: 'channel', channelIds, ...ofMessages(given) };
    }
    default:
      return type satisfies never;
  }
}

const ofMessages = ({
  eventType,
  eventTypes,
  filter,
  cancelOn = [],
  dedupe,
  concurrency,
}: EventTriggerConfig | WebhookTriggerConfig) => ({
  eventTypes: eventTypes ?? (eventType === undefined ? [] : [eventType]),
  ...(filter !== undefined && { filter }),
  cancelOn,
  ...(dedupe !== undefined && { dedupe: { key: dedupe.key, windowMs: dedupe.window } }),
  ...(concurrency !== undefined && { concurrency }),
});
