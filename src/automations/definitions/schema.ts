import { z } from 'zod';
import {
  exactArray,
  exactObject,
  idOf,
  fieldProblem,
  time,
  wholeNumber,
} from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { enumQuery, namedQuery, pageQuery, wholeNumberQuery } from '../../api/http/reading/query.ts';
import { controlCharacterProblem, nameProblem } from '../../kernel/values/text.ts';
import { WORKFLOW_STATUSES } from '../../kernel/words/statuses.ts';

const name = z.string().min(1).max(200);
const description = z.string().max(1_000);
const status = z.enum(WORKFLOW_STATUSES);
/** Checked in validate.ts, which reports all problems at once. */
const trigger = z.record(z.string(), z.unknown());
const steps = z.array(z.unknown());

const rules: ResourceFields['rules'] = {
  name: nameProblem,
  description: controlCharacterProblem,
  status: (value) =>
    value === 'draft' ? 'must be active or paused: a workflow is a draft only until it is first activated' : undefined,
};
const identity = { id: sameText(), createdAt: sameTime() };
const moved = ['updatedAt', 'triggerType', 'stepCount'];

/** Spec §4. A workflow without trigger or steps is a draft that cannot be activated yet. */
export const createWorkflowBody = fieldsOf(
  {
    name: name.describe('Display name.'),
    description: description.exactOptional().describe('Description for people.'),
    status: status.default('draft').describe('Status of the new workflow.'),
    trigger: trigger
      .exactOptional()
      .describe('What starts a run: `type` and `config`. If not set, the workflow has no trigger yet.'),
    steps: steps
      .exactOptional()
      .describe(
        'Steps of a run, each with `id`, `type`, `config` and `next`. If not set, the workflow has no steps yet.',
      ),
  },
  { identity, moved, rules: { name: nameProblem, description: controlCharacterProblem } },
).meta({ typeName: 'CreateWorkflow' });
export type CreateWorkflow = z.output<typeof createWorkflowBody>;

/** Trigger and steps are replaced as a whole. Null clears the description. */
export const workflowChange = changeOf(
  {
    name: name.exactOptional().describe('Display name.'),
    description: description.nullable().exactOptional().describe('Description for people.'),
    status: status.exactOptional().describe('New status.'),
    trigger: trigger.exactOptional().describe('Replaces the whole trigger.'),
    steps: steps.exactOptional().describe('Replaces all steps.'),
  },
  { identity, moved, rules },
);
export const updateWorkflowBody = workflowChange.body.meta({ typeName: 'UpdateWorkflow' });
export type UpdateWorkflow = z.output<typeof updateWorkflowBody>;

/**
 * A workflow to check without storing it: a new one or, with `id`, a change to that one. `name` is optional here so
 * that a missing name is reported together with all other problems.
 */
export const validateWorkflowBody = fieldsOf(
  {
    id: z.string().exactOptional().describe('Workflow to change. If not set, a new one.'),
    name: name.exactOptional().describe('Display name. Required for a new workflow.'),
    description: description.exactOptional().describe('Description for people.'),
    status: status.exactOptional().describe('Status of the workflow.'),
    trigger: trigger.exactOptional().describe('Trigger to check.'),
    steps: steps.exactOptional().describe('Steps to check.'),
  },
  { rules: { name: nameProblem, description: controlCharacterProblem } },
).meta({ typeName: 'ValidateWorkflow' });
export type ValidateWorkflow = z.output<typeof validateWorkflowBody>;

export const listWorkflowsQuery = pageQuery
  .extend({
    status: status.exactOptional().describe('Only workflows with this status.'),
    ...namedQuery('workflow'),
    connectionId: z
      .string()
      .exactOptional()
      .describe('Only workflows whose current steps use this connection. Looks through 500 definitions per page.'),
    /** `false` leaves out trigger and steps, which can have 256 KiB, and returns their type and number instead. */
    definitions: enumQuery(['true', 'false'])
      .optional()
      .describe(
        '`false` leaves out large parts to keep the response small: trigger and steps of workflows (`triggerType` and `stepCount` are returned instead), schemas of channels.',
      ),
  })
  .meta({ typeName: 'ListWorkflows' });
export type ListWorkflows = z.output<typeof listWorkflowsQuery>;

/** Version numbers are unbounded except by the integer column that stores them. */
const VERSIONS = { min: 1, max: 2_147_483_647 };
const versionQuery = wholeNumberQuery(/^[0-9]{1,10}$/, VERSIONS, `must be a whole number from 1 to ${VERSIONS.max}`);

/** Versions per response. */
export const VERSIONS_AT_ONCE = 50;
export const listVersionsQuery = z
  .strictObject({
    version: versionQuery.optional().describe('Only this version, with its definition.'),
    beforeVersion: versionQuery.optional().describe('Only versions with a lower number.'),
  })
  .meta({ typeName: 'ListVersions' });
export type ListVersions = z.output<typeof listVersionsQuery>;

const workflowVersion = z.strictObject({
  version: wholeNumber.describe('Number of the version. Runs name it as their `definitionVersion`.'),
  triggerType: z.string().exactOptional().describe('Type of its trigger. Absent if it has none.'),
  stepCount: wholeNumber.describe('Number of its steps.'),
  madeBy: z
    .string()
    .exactOptional()
    .describe(
      'Id of the API key, machine credential or person that created it. Absent for versions created before this was recorded.',
    ),
  trigger: exactObject.exactOptional().describe('What starts a run, as it was written. Only with `version`.'),
  steps: exactArray.exactOptional().describe('Steps of a run, as they were written. Only with `version`.'),
  createdAt: time.describe('When it was created.'),
});
export type WorkflowVersion = z.output<typeof workflowVersion>;

export const workflowVersionsAnswer = z
  .strictObject({
    versions: z.array(workflowVersion).describe(`Up to ${VERSIONS_AT_ONCE} versions, newest first.`),
    hasMore: z.boolean().describe('Whether there are older versions; continue with `beforeVersion`.'),
  })
  .meta({ typeName: 'WorkflowVersions' });
export type WorkflowVersions = z.output<typeof workflowVersionsAnswer>;

/** Spec §2. */
export const workflowAnswer = z
  .strictObject({
    id: idOf('workflow'),
    name: z.string().describe('Display name.'),
    description: z.string().exactOptional().describe('Description for people.'),
    status: status.describe('Runs start while it is `active`. `draft`: it was never activated.'),
    trigger: exactObject
      .exactOptional()
      .describe('What starts a run, as it was written. Absent if a draft has none yet.'),
    steps: exactArray.exactOptional().describe('Steps of a run, as they were written. Absent if a draft has none yet.'),
    triggerType: z
      .string()
      .exactOptional()
      .describe('Type of its trigger. Only in lists with `definitions=false`; absent if it has none.'),
    stepCount: wholeNumber.exactOptional().describe('Number of its steps. Only in lists with `definitions=false`.'),
    createdAt: time.describe('When it was created.'),
    updatedAt: time.describe('When it was last changed.'),
  })
  .meta({ typeName: 'Workflow' });
export type Workflow = z.output<typeof workflowAnswer>;

export const definitionValidationAnswer = z
  .strictObject({
    valid: z.boolean().describe('Whether the workflow could be activated.'),
    errors: z.array(fieldProblem).describe('All problems, up to 20.'),
  })
  .meta({ typeName: 'DefinitionValidation' });
export type DefinitionValidation = z.output<typeof definitionValidationAnswer>;
