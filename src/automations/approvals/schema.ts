import { z } from 'zod';
import { idOf, storedJson, time } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import { enumQuery, pageQuery } from '../../api/http/reading/query.ts';
import { APPROVAL_STATUSES } from '../../kernel/words/statuses.ts';

const DECISIONS = ['approved', 'rejected'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Which open approval of a run is meant, where there are several, and what is said beside the decision. */
export const decideBody = fieldsOf({
  stepId: z.string().max(64).exactOptional().describe('Step that asks. May be left out where one asks only.'),
  iteration: z.string().max(64).exactOptional().describe('Places of its items in the loops around it.'),
  comment: z.string().max(4_000).exactOptional().describe('Text that the next steps, and people, see.'),
  data: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Values for the next steps. Must fit the form of the approval, where it has one.'),
})
  .default({})
  .meta({ typeName: 'DecideApproval' });
export type Decide = z.output<typeof decideBody>;

export const listApprovalsQuery = pageQuery
  .extend({
    status: enumQuery(APPROVAL_STATUSES).optional().describe('Status to have.'),
    runId: z.string().optional().describe('Run that asks.'),
    workflowId: z.string().optional().describe('Only of this workflow.'),
  })
  .meta({ typeName: 'ListApprovals' });
export type ListApprovals = z.output<typeof listApprovalsQuery>;

export const approvalAnswer = z
  .strictObject({
    id: idOf('approval'),
    workflowId: idOf('workflow').describe('Workflow of the run.'),
    runId: idOf('run').describe('Run that waits.'),
    stepId: z.string().describe('Step that asks.'),
    iteration: z.string().describe('Places of its items in the loops around it, from 0, joined by dots.'),
    status: z.enum(APPROVAL_STATUSES).describe('Decision, or that there is none.'),
    title: z.string().describe('Question, in a few words.'),
    message: z.string().exactOptional().describe('The same at length.'),
    approvers: z
      .array(z.string())
      .describe('Ids of principals and addresses of people who may decide. Empty: anybody who may write workflows.'),
    form: storedJson.exactOptional().describe('JSON Schema that `data` of an approval must fit.'),
    createdAt: time.describe('When the step asked.'),
    expiresAt: time.describe('When the step goes on by itself.'),
    decidedBy: z.string().exactOptional().describe('Id of the principal who decided.'),
    decidedAt: time.exactOptional().describe('When that was.'),
    comment: z.string().exactOptional().describe('Text that was given with it.'),
    data: storedJson.exactOptional().describe('Values that were given with it.'),
  })
  .meta({ typeName: 'Approval' });
export type Approval = z.output<typeof approvalAnswer>;
