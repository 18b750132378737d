import { z } from 'zod';
import { idOf, storedJson, time } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import { enumQuery, pageQuery } from '../../api/http/reading/query.ts';
import { APPROVAL_STATUSES } from '../../kernel/words/statuses.ts';

const DECISIONS = ['approved', 'rejected'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Which open approval of a run to decide if there are several, and what to record with the decision. */
export const decideBody = fieldsOf({
  stepId: z.string().max(64).exactOptional().describe('Step that asks. Can be left out if only one step asks.'),
  iteration: z
    .string()
    .max(64)
    .exactOptional()
    .describe('Indexes, from 0, of the items in the enclosing loops, joined by dots.'),
  comment: z
    .string()
    .max(4_000)
    .exactOptional()
    .describe('Text for the next steps and for people. Up to 4,000 characters.'),
  data: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Values for the next steps. Must match the schema of the approval, if it has one.'),
})
  .default({})
  .meta({ typeName: 'DecideApproval' });
export type Decide = z.output<typeof decideBody>;

export const listApprovalsQuery = pageQuery
  .extend({
    status: enumQuery(APPROVAL_STATUSES).optional().describe('Only approvals with this status.'),
    runId: z.string().optional().describe('Only approvals of this run.'),
    workflowId: z.string().optional().describe('Only approvals of this workflow.'),
  })
  .meta({ typeName: 'ListApprovals' });
export type ListApprovals = z.output<typeof listApprovalsQuery>;

export const approvalAnswer = z
  .strictObject({
    id: idOf('approval'),
    workflowId: idOf('workflow').describe('Workflow of the run.'),
    runId: idOf('run').describe('Run that is waiting.'),
    stepId: z.string().describe('Step that asks.'),
    iteration: z
      .string()
      .describe('Indexes, from 0, of the items in the enclosing loops, joined by dots. Empty outside loops.'),
    status: z
      .enum(APPROVAL_STATUSES)
      .describe(
        '`open` until somebody decides. `expired`: nobody decided in time. `cancelled`: its step was stopped because the run was cancelled or another branch won; a retry of the run asks again.',
      ),
    title: z.string().describe('Question, in a few words.'),
    message: z.string().exactOptional().describe('Longer explanation of the question.'),
    approvers: z
      .array(z.string())
      .describe(
        'Principal ids and email addresses of people who may decide. If empty, anyone who may write workflows.',
      ),
    form: storedJson.exactOptional().describe('JSON Schema that `data` of an approval must match.'),
    createdAt: time.describe('When the step asked.'),
    expiresAt: time.describe('When the step continues without a decision.'),
    decidedBy: z.string().exactOptional().describe('Id of the principal that decided.'),
    decidedAt: time.exactOptional().describe('When the decision was made.'),
    comment: z.string().exactOptional().describe('Text given with the decision.'),
    data: storedJson.exactOptional().describe('Values given with the decision.'),
  })
  .meta({ typeName: 'Approval' });
export type Approval = z.output<typeof approvalAnswer>;
