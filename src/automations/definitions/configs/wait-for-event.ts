import { z } from 'zod';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { channelIds, common, duration, eventTypes, expression, matches, oneOrMany } from './fields.ts';
import type { PlannedStep } from './planned.ts';

const wait = duration({ min: 1_000, max: WORKFLOW_BOUNDS.waitMs });
const DEFAULT_WAIT_MS = 7 * 86_400_000;

const NAMES = ['channelId', 'channelIds', 'eventType', 'eventTypes'] as const;

export const waitForEventConfig = z
  .strictObject({
    ...common,
    channelId: z.string().exactOptional(),
    channelIds: channelIds.exactOptional(),
    eventType: eventTypes.element.exactOptional(),
    eventTypes: eventTypes.min(1).exactOptional(),
    filter: expression.exactOptional(),
    match: matches.default([]),
    timeout: wait.default(DEFAULT_WAIT_MS),
    onTimeout: z.string().min(1).default('continue'),
    lookback: duration({ min: 0, max: WORKFLOW_BOUNDS.waitMs }).exactOptional(),
  })
  .superRefine(oneOrMany(['channelId', 'channelIds'], ['eventType', 'eventTypes']))
  // Each message of an environment would be held against such a step.
  .refine((given) => NAMES.some((name) => given[name] !== undefined), 'must name event types or channels');

/** The part of a planned step that is this kind's own. */
export function plannedWaitForEvent(given: z.output<typeof waitForEventConfig>) {
  const { channelId, eventType, filter, match, timeout, onTimeout, lookback } = given;
  return {
    type: 'wait_for_event',
    channelIds: given.channelIds ?? (channelId === undefined ? [] : [channelId]),
    eventTypes: given.eventTypes ?? (eventType === undefined ? [] : [eventType]),
    match,
    waitMs: timeout,
    onTimeout: onTimeout === 'continue' || onTimeout === 'fail' ? onTimeout : { next: onTimeout },
    ...(filter !== undefined && { filter }),
    ...(lookback !== undefined && { lookbackMs: lookback }),
  } satisfies Partial<PlannedStep>;
}
