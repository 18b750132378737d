import { z } from 'zod';
import { RUN_STEP_TYPES } from '../../kernel/contract/run-outline.ts';
import { storedJson } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import { RUN_STEP_STATUSES } from '../../kernel/words/statuses.ts';
import { publishedEventType } from '../../messaging/messages/schema.ts';

/** The message that begins the trial, as expressions read it. All of it may be left out. */
const event = fieldsOf({
  payload: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Any JSON object, up to 256 KiB. Subscribers get it digit for digit.'),
  eventType: publishedEventType
    .exactOptional()
    .describe('One event type, `order.*` for all that begin with `order.`, or `*`.'),
  channelId: z.string().max(100).exactOptional().describe('Only of this channel.'),
  metadata: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Texts that go with the message, up to 50 and 16 KiB.'),
});

/** The result of a step with effects: an output, or a failure for good. */
const mock = z
  .strictObject({
    output: z.unknown().exactOptional().describe('Result of the step: any JSON.'),
    error: z
      .strictObject({
        code: z.string().min(1).max(100).describe('Code of the error, such as `HTTP_404`.'),
        message: z.string().max(1_000).default('mocked').describe('The same for people.'),
      })
      .exactOptional()
      .describe('Failure of the step, after all of its tries.'),
  })
  .refine((given) => 'output' in given !== 'error' in given, 'must hold one of output and error');

export const tryWorkflowBody = fieldsOf({
  event: event.exactOptional().describe('Message that the trial begins with.'),
  mocks: z.record(z.string(), mock).exactOptional().describe('Results of steps with effects, by the ids of the steps.'),
})
  .default({})
  .meta({ typeName: 'TestWorkflow' });
export type TestWorkflow = z.output<typeof tryWorkflowBody>;

const TRIAL_STATUSES = ['completed', 'failed', 'cancelled', 'paused'] as const;

const runError = z.strictObject({
  code: z.string().describe('Code of the error, such as `HTTP_404` or `TIMEOUT`.'),
  message: z.string().describe('The same for people.'),
});

const step = z.strictObject({
  id: z.string().describe('Id of the step in the definition.'),
  iteration: z
    .string()
    .describe('Places of its items in the loops around it, from 0, joined by dots. Empty outside loops.'),
  type: z.enum(RUN_STEP_TYPES).describe('Kind of the step. `item` is an item of a foreach, once it has ended.'),
  status: z.enum(RUN_STEP_STATUSES).describe('How it ended.'),
  input: storedJson.exactOptional().describe('Values that were resolved for it.'),
  output: storedJson.exactOptional().describe('Its result.'),
  error: runError.exactOptional().describe('Why it failed.'),
  mocked: z
    .enum(['given', 'invented'])
    .exactOptional()
    .describe('Present where nothing was sent: the result is of `mocks`, or one that was made up.'),
});
export type TriedStep = z.output<typeof step>;

/** Why a trigger takes a message, or leaves it. */
const BEGIN_REASONS = [
  'no_filter',
  'filter_matches',
  'trigger_type',
  'channel',
  'webhook',
  'event_type',
  'filter_does_not_match',
  'filter_failed',
] as const;

const begins = z.strictObject({
  wouldStart: z
    .boolean()
    .describe(
      'Whether the trigger takes such an event, once the workflow is active. `channelId`, `eventType` and `metadata` that are left out fit.',
    ),
  reason: z.enum(BEGIN_REASONS).describe('Why, or why not. `trigger_type`: no message begins this workflow.'),
  detail: z.string().exactOptional().describe('Wishes of the trigger, or the failure of its filter, for people.'),
});
export type TrialBegins = z.output<typeof begins>;

export const trialAnswer = z
  .strictObject({
    triggerMatch: begins.describe('Answer of the trigger to the event. The steps are taken whatever it is.'),
    status: z.enum(TRIAL_STATUSES).describe('How such a run would end.'),
    error: runError
      .extend({ stepId: z.string().describe('Step that failed.') })
      .exactOptional()
      .describe('Why it would fail, or wait for a person.'),
    reason: z.string().exactOptional().describe('Why the trial was cut off.'),
    filteredBy: z
      .string()
      .exactOptional()
      .describe('Filter that would end it as `completed`, because its expression is false: id of the step.'),
    output: storedJson.exactOptional().describe('Output of the `end` step that would end it.'),
    steps: z.array(step).describe('Steps that were taken, in the order in which they began.'),
  })
  .meta({ typeName: 'TestRun' });
export type Trial = z.output<typeof trialAnswer>;
