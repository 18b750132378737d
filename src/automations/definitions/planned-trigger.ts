import { type EventTriggerConfig, type SupportedTrigger, triggerConfigOf } from './configs/triggers.ts';
import { plannedSchedule } from './configs/schedule.ts';
import type { Trigger } from './configs/plan.ts';

/** Completes a stored trigger; a definition without one has the trigger that people pull. */
export function plannedTrigger(trigger: unknown): Trigger {
  // `as`: see planOf.
  const { type, config = {} } = (trigger ?? { type: 'manual' }) as { type: SupportedTrigger; config?: unknown };
  if (type === 'manual') return { type };
  if (type === 'schedule') return plannedSchedule(config);
  const given = triggerConfigOf(type).parse(config) as EventTriggerConfig;
  return {
    type,
    source: 'channel',
    channelIds: given.channelIds ?? (given.channelId === undefined ? [] : [given.channelId]),
    eventTypes: given.eventTypes ?? (given.eventType === undefined ? [] : [given.eventType]),
    ...(given.filter !== undefined && { filter: given.filter }),
    cancelOn: [],
  };
}
