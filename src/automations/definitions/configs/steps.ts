import { z } from 'zod';
import { type StepType, WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { ACTION_FIELDS, actionConfigOf, type ActionConfigs } from './actions.ts';
import { approvalConfig } from './approval.ts';
import { common, duration, expression, target, templates } from './fields.ts';
import { waitForEventConfig } from './wait-for-event.ts';
import { workflowStepConfig } from './workflow-step.ts';

const ofSteps = {
  // oxlint-disable-next-line unicorn/no-thenable -- the author's name for the way; nobody awaits a schema
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
    .refine((given) => (given.for === undefined) !== (given.until === undefined), 'must hold one of for and until'),
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

/** Configs by kind, those of actions by their action, as they are read. */
export type Configs = { [Kind in keyof typeof ofSteps]: z.output<(typeof ofSteps)[Kind]> } & ActionConfigs;

/** The schema of a step's config. */
export const stepConfigOf = (type: StepType, config: unknown): z.ZodType =>
  type === 'action' ? actionConfigOf(config) : ofSteps[type];

/** Whether the config of a step of this type may have such a field. An unknown type has the fields that all have. */
export function isConfigField(type: unknown, name: string): boolean {
  if (type === 'action') return ACTION_FIELDS.includes(name);
  const isKind = typeof type === 'string' && Object.hasOwn(ofSteps, type);
  // `as`: it is one of them.
  return Object.hasOwn(isKind ? ofSteps[type as keyof typeof ofSteps].shape : common, name);
}
