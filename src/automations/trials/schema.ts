import { z } from 'zod';
import { RUN_STEP_TYPES } from '../../kernel/contract/run-outline.ts';
import { storedJson } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import { RUN_STEP_STATUSES } from '../../kernel/words/statuses.ts';
import { publishedEventType } from '../../messaging/messages/schema.ts';

/** The message that starts the test run, as expressions read it. Everything is optional. */
const event = fieldsOf({
  payload: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Any JSON object, up to 256 KiB. Its text is kept digit for digit.'),
  eventType: publishedEventType.exactOptional().describe('Event type of the message.'),
  channelId: z.string().max(100).exactOptional().describe('Channel of the message.'),
  metadata: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Metadata of the message, up to 50 texts and 16 KiB.'),
});

/** The result of a step with effects: an output or a final failure. */
const mock = z
  .strictObject({
    output: z.unknown().exactOptional().describe('Result of the step: any JSON.'),
    error: z
      .strictObject({
        code: z.string().min(1).max(100).describe('Code of the error, such as `HTTP_404`.'),
        message: z.string().max(1_000).default('mocked').describe('Error in words.'),
      })
      .exactOptional()
      .describe('Failure of the step, after all of its attempts.'),
  })
  .refine((given) => 'output' in given !== 'error' in given, 'must have exactly one of output and error');

export const tryWorkflowBody = fieldsOf({
  event: event.exactOptional().describe('Message that starts the test run.'),
  mocks: z.record(z.string(), mock).exactOptional().describe('Results of steps with effects, by step id.'),
})
  .default({})
  .meta({ typeName: 'TestWorkflow' });
export type TestWorkflow = z.output<typeof tryWorkflowBody>;

const TRIAL_STATUSES = ['completed', 'failed', 'cancelled', 'paused'] as const;

const runError = z.strictObject({
  code: z.string().describe('Code of the error, such as `HTTP_404` or `TIMEOUT`.'),
  message: z.string().describe('Error in words.'),
});

const step = z.strictObject({
  id: z.string().describe('Id of the step in the definition.'),
  iteration: z
    .string()
    .describe('Indexes, from 0, of the items in the enclosing loops, joined by dots. Empty outside loops.'),
  type: z.enum(RUN_STEP_TYPES).describe('Type of the step. `item` is a finished item of a foreach.'),
  status: z.enum(RUN_STEP_STATUSES).describe('Status in which the step ended.'),
  input: storedJson.exactOptional().describe('Values resolved for the step.'),
  output: storedJson.exactOptional().describe('Result of the step.'),
  error: runError.exactOptional().describe('Why it failed.'),
  mocked: z
    .enum(['given', 'invented'])
    .exactOptional()
    .describe('Present if the step sent nothing: the result is from `mocks` (`given`) or made up (`invented`).'),
});
export type TriedStep = z.output<typeof step>;

/** Why a trigger accepts a message or not. */
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
      'Whether the trigger accepts the event, once the workflow is active. `channelId`, `eventType` and `metadata` match if they are left out.',
    ),
  reason: z
    .enum(BEGIN_REASONS)
    .describe(
      '`no_filter`, `filter_matches`: a run would start. All others: it would not. `trigger_type`: messages do not start this workflow.',
    ),
  detail: z.string().exactOptional().describe('What the trigger expects, or the error of its filter, in words.'),
});
export type TrialBegins = z.output<typeof begins>;

export const trialAnswer = z
  .strictObject({
    triggerMatch: begins.describe('Whether the trigger accepts the event. The steps are executed in either case.'),
    status: z.enum(TRIAL_STATUSES).describe('Status in which the run would end.'),
    error: runError
      .extend({ stepId: z.string().describe('Step that failed.') })
      .exactOptional()
      .describe('Why it would fail, or be paused until a person acts.'),
    reason: z.string().exactOptional().describe('Why the test run was stopped early.'),
    filteredBy: z
      .string()
      .exactOptional()
      .describe('Id of the filter step whose expression is false, so that the run would finish as `completed`.'),
    output: storedJson.exactOptional().describe('Output of the `end` step that would finish it.'),
    steps: z.array(step).describe('Steps that were executed, in the order in which they started.'),
  })
  .meta({ typeName: 'TestRun' });
export type Trial = z.output<typeof trialAnswer>;
