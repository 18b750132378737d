import { z } from 'zod';
import { type StepType, WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { ACTION_FIELDS, actionConfigOf, type ActionConfigs } from './actions.ts';
import {
  common,
  duration,
  expression,
  target,
  templates,
  template,
  channelIds,
  eventTypes,
  matches,
  oneOrMany,
} from './fields.ts';
import type { PlannedStep } from './planned.ts';

const DEFAULT_WAIT_MS = 7 * 86_400_000;
const DEFAULT_RUN_WAIT_MS = 30 * 86_400_000;

/** `input` becomes `event.payload` of the other workflow. */
const workflowStepConfig = z.strictObject({
  ...common,
  workflowId: z.string(),
  input: template.default({}),
  wait: z.boolean().default(true),
  timeout: duration({ min: 1_000, max: WORKFLOW_BOUNDS.waitMs }).default(DEFAULT_RUN_WAIT_MS),
});

/** Returns the properties specific to this kind of step. */
export function plannedWorkflowStep({ workflowId, input, wait, timeout }: z.output<typeof workflowStepConfig>) {
  return { type: 'workflow', workflowId, input, isAwaited: wait, waitMs: timeout } satisfies Partial<PlannedStep>;
}

const wait = duration({ min: 1_000, max: WORKFLOW_BOUNDS.waitMs });

const NAMES = ['channelId', 'channelIds', 'eventType', 'eventTypes'] as const;

const waitForEventConfig = z
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
  // Every message of the environment would have to be compared with such a step.
  .refine((given) => NAMES.some((name) => given[name] !== undefined), 'must have event types or channels');

/** Returns the properties specific to this kind of step. */
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

const MOST_APPROVERS = 50;

/** `onTimeout` of an approval applies if nobody decides. Default: rejected. */
const approvalConfig = z.strictObject({
  ...common,
  title: z.string().min(1).max(1_000),
  message: template.optional(),
  approvers: z.array(z.string().min(1).max(255)).min(1).max(MOST_APPROVERS).default([]),
  form: z.record(z.string(), z.unknown()).exactOptional(),
  timeout: duration({ min: 1_000, max: WORKFLOW_BOUNDS.waitMs }).default(DEFAULT_WAIT_MS),
  onTimeout: z.enum(['reject', 'approve', 'fail']).default('reject'),
  approved: target.exactOptional(),
  rejected: target.exactOptional(),
});

/** Returns the properties specific to this kind of step. */
export function plannedApproval(given: z.output<typeof approvalConfig>) {
  const { title, message, approvers, form, timeout, onTimeout, approved, rejected } = given;
  return {
    type: 'approval',
    title,
    approvers,
    waitMs: timeout,
    onTimeout,
    ...(message !== undefined && { message }),
    ...(form !== undefined && { form }),
    ...(approved !== undefined && { approved }),
    ...(rejected !== undefined && { rejected }),
  } satisfies Partial<PlannedStep>;
}

const ofSteps = {
  // oxlint-disable-next-line unicorn/no-thenable -- the field's public name; a schema is never awaited
  condition: z.strictObject({ ...common, expression, then: target.exactOptional(), else: target.exactOptional() }),
  switch: z.strictObject({
    ...common,
    cases: z
      .array(z.strictObject({ when: expression, next: target }))
      .min(1)
      .max(WORKFLOW_BOUNDS.cases),
    default: target.exactOptional(),
  }),
  filter: z.strictObject({ ...common, expression }),
  transform: z.strictObject({ ...common, set: templates.default({}), assign: templates.default({}) }),
  delay: z
    .strictObject({
      ...common,
      for: duration({ min: 0, max: WORKFLOW_BOUNDS.waitMs }).exactOptional(),
      until: z.string().min(1).exactOptional(),
    })
    .refine(
      (given) => (given.for === undefined) !== (given.until === undefined),
      'must have exactly one of for and until',
    ),
  wait_for_event: waitForEventConfig,
  approval: approvalConfig,
  workflow: workflowStepConfig,
  foreach: z.strictObject({
    ...common,
    items: expression,
    body: z.string(),
    concurrency: z.number().int().min(1).max(WORKFLOW_BOUNDS.concurrency).default(1),
    maxItems: z.number().int().min(1).max(WORKFLOW_BOUNDS.items).default(WORKFLOW_BOUNDS.items),
    onItemError: z.enum(['fail', 'continue']).default('fail'),
    collect: expression.exactOptional(),
  }),
  parallel: z.strictObject({
    ...common,
    branches: z.array(z.string()).min(2).max(WORKFLOW_BOUNDS.branches),
    mode: z.enum(['all', 'race']).default('all'),
  }),
  end: z.strictObject({
    ...common,
    status: z.enum(['completed', 'failed', 'cancelled']).default('completed'),
    error: z.strictObject({ code: z.string().min(1).max(100), message: z.string().max(1_000) }).exactOptional(),
    deadLetter: z.boolean().default(true),
  }),
} as const satisfies Record<Exclude<StepType, 'action'>, z.ZodType>;

/** Parsed configs by kind; those of actions by their action. */
export type Configs = { [Kind in keyof typeof ofSteps]: z.output<(typeof ofSteps)[Kind]> } & ActionConfigs;

/** Returns the schema of a step's config. */
export const stepConfigOf = (type: StepType, config: unknown): z.ZodType =>
  type === 'action' ? actionConfigOf(config) : ofSteps[type];

/** Whether the config of a step of this type can have this field. For unknown types: the fields that all types have. */
export function isConfigField(type: unknown, name: string): boolean {
  if (type === 'action') return ACTION_FIELDS.includes(name);
  const isKind = typeof type === 'string' && Object.hasOwn(ofSteps, type);
  // `as`: checked above.
  return Object.hasOwn(isKind ? ofSteps[type as keyof typeof ofSteps].shape : common, name);
}
