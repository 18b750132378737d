import { exampleId } from './example-ids.ts';
import type { OperationText } from './operation-text.ts';

const trigger = { type: 'event', config: { channelId: exampleId('channel'), eventTypes: ['order.created'] } };
const steps = [
  { id: 'large', type: 'filter', config: { expression: 'event.payload.total > 100' }, next: 'note' },
  { id: 'note', type: 'action', config: { action: 'log', text: 'Order {{ event.payload.id }}' } },
];

/** Workflows and their runs. */
export const automationTexts: Readonly<Record<string, OperationText>> = {
  'POST /v1/workflows': {
    summary: 'Make a workflow',
    description:
      'A new workflow is a draft unless `status` says otherwise. Trigger and steps are checked whole: `details.errors` has everything that is wrong with them.',
    example: { body: { name: 'Large orders', trigger, steps } },
  },
  'GET /v1/workflows': {
    summary: 'List workflows',
    description: 'Workflows of the environment, the newest first.',
    example: { query: { status: 'active' } },
  },
  'POST /v1/workflows/validate': {
    summary: 'Check a definition',
    description:
      'Says everything that speaks against such a new workflow, or with `id` against such a change of that one: what is left out stays as it is there. The last of it is what activating alone asks for. Stores nothing.',
    example: { body: { name: 'Large orders', trigger, steps } },
  },
  'GET /v1/workflows/:workflowId': {
    summary: 'Get a workflow',
    description: 'Shows one workflow, with trigger and steps as their author wrote them.',
  },
  'GET /v1/workflows/:workflowId/versions': {
    summary: 'List the versions of a workflow',
    description:
      'Each change of trigger or steps makes a version. They come with the newest first, which is in force, and without the definitions: ' +
      '`version` asks for one with its own. A PATCH with its trigger and steps takes it back, as a new version.',
    example: { query: { version: '1' } },
  },
  'PATCH /v1/workflows/:workflowId': {
    summary: 'Change a workflow',
    description:
      'Changes the fields that are given; `trigger` and `steps` are replaced as a whole. New runs take the change at once, and runs under way keep the definition that they began with.',
    example: { body: { name: 'Very large orders' } },
  },
  'DELETE /v1/workflows/:workflowId': {
    summary: 'Delete a workflow',
    description: 'No further run begins. Runs under way go on, and all of them stay readable.',
  },
  'POST /v1/workflows/:workflowId/activate': {
    summary: 'Activate a workflow',
    description: 'Runs begin from now on. CONFLICT, with all of it in `details.errors`, while something is missing.',
  },
  'POST /v1/workflows/:workflowId/pause': {
    summary: 'Pause a workflow',
    description: 'No further run begins until it is activated again. Runs under way go on.',
  },
  'GET /v1/workflows/:workflowId/schedule': {
    summary: 'Get the times of a schedule',
    description:
      'Shows when a workflow with a `schedule` trigger runs next, and when it last did. Any other workflow has an empty one.',
  },
  'POST /v1/workflows/:workflowId/test': {
    summary: 'Try a workflow',
    description:
      'Takes the steps with a sample event and touches nothing: no request, no message, no run. `begins` says whether the trigger would take the event; the steps are taken in any case. Steps with effects result in `mocks`, or in a result that is made up and marked. Delays end at once. A draft can be tried. CONFLICT for a workflow without steps.',
    example: {
      body: {
        event: { eventType: 'order.created', payload: { id: 'A-17', total: 120 } },
      },
    },
  },
  'POST /v1/workflows/:workflowId/runs': {
    summary: 'Start a run',
    description:
      'Begins a run by hand. Expressions read `payload` as `event.payload`. CONFLICT while the workflow is not active.',
    example: { body: { payload: { id: 'A-17', total: 120 } } },
  },
  'GET /v1/workflows/:workflowId/runs': {
    summary: 'List the runs of a workflow',
    description: 'Runs of one workflow, the newest first, those of a deleted one too.',
    example: { query: { status: 'failed' } },
  },
  'POST /v1/workflows/:workflowId/runs/cancel': {
    summary: 'Cancel runs of a workflow',
    description:
      'Ends runs that have not ended, up to 1,000 of them, the oldest first; the same request goes on with what is left. Everything is asked for by `{}`. `dryRun` only counts.',
    example: { body: { status: 'waiting', dryRun: true } },
  },
  'GET /v1/runs/export': {
    summary: 'Export runs',
    description: 'The list as a file of up to 100,000 runs. The audit log tells of it.',
    example: { query: { format: 'csv', status: 'failed' } },
  },
  'GET /v1/runs': {
    summary: 'List runs',
    description: 'Runs of the environment, the newest first.',
    example: { query: { status: 'failed' } },
  },
  'GET /v1/runs/:runId': {
    summary: 'Get a run',
    description: 'Shows one run with every step that has begun: its input, output, error, attempts and times.',
  },
  'POST /v1/runs/:runId/cancel': {
    summary: 'Cancel a run',
    description:
      'Ends a run. Steps under way are cut off, and what they have done stays done. CONFLICT for one that has ended.',
  },
  'POST /v1/runs/:runId/retry': {
    summary: 'Retry a run',
    description:
      'Goes on with a run that failed, was cancelled or is paused. Without a body it goes on from the steps that failed, under its own definition, with the results of all others. CONFLICT for any other run, for one whose workflow is deleted, and for a definition that lacks the steps.',
    example: { body: { from: 'failed', definition: 'latest' } },
  },
  'GET /v1/approvals': {
    summary: 'List approvals',
    description: 'Decisions that runs have asked for, the newest first.',
    example: { query: { status: 'open' } },
  },
  'GET /v1/approvals/:approvalId': {
    summary: 'Get an approval',
    description: 'Shows what a run asks, who may decide, and the decision once there is one.',
  },
  'POST /v1/runs/:runId/approve': {
    summary: 'Approve',
    description:
      'Approves what a step of the run asks, and the run goes on. `stepId` names the step where several ask. FORBIDDEN for a caller whom `approvers` does not name, INVALID_REQUEST for `data` that does not fit the form, CONFLICT, with the first decision, once there is one.',
    example: { body: { comment: 'As agreed.', data: { amount: 120 } } },
  },
  'POST /v1/runs/:runId/reject': {
    summary: 'Reject',
    description:
      'Rejects what a step of the run asks, and the run goes on as its author has provided for. `stepId` names the step where several ask. FORBIDDEN for a caller whom `approvers` does not name, CONFLICT, with the first decision, once there is one.',
    example: { body: { comment: 'Too early.' } },
  },
};
