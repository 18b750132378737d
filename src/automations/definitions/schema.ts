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
/** Their insides are checked by validate.ts, which tells all that is wrong with them at once. */
const trigger = z.record(z.string(), z.unknown());
const steps = z.array(z.unknown());

const rules: ResourceFields['rules'] = {
  name: nameProblem,
  description: controlCharacterProblem,
  status: (value) =>
    value === 'draft'
      ? 'is draft only until the workflow is activated first; active and paused can be chosen'
      : undefined,
};
const identity = { id: sameText(), createdAt: sameTime() };
const moved = ['updatedAt', 'triggerType', 'stepCount'];

/** Spec §4. A workflow without trigger or steps is a draft that cannot be activated yet. */
export const createWorkflowBody = fieldsOf(
  {
    name: name.describe('Name for people.'),
    description: description.exactOptional().describe('Text for people.'),
    status: status.default('draft').describe('Status to have.'),
    trigger: trigger.exactOptional().describe('Beginning of a run: `type` and `config`. Absent: none yet.'),
    steps: steps
      .exactOptional()
      .describe('Work of a run, each step with `id`, `type`, `config` and `next`. Absent: none yet.'),
  },
  { identity, moved, rules: { name: nameProblem, description: controlCharacterProblem } },
).meta({ typeName: 'CreateWorkflow' });
export type CreateWorkflow = z.output<typeof createWorkflowBody>;

/** Trigger and steps are replaced as a whole, null clears the description. */
export const workflowChange = changeOf(
  {
    name: name.exactOptional().describe('Name for people.'),
    description: description.nullable().exactOptional().describe('Text for people.'),
    status: status.exactOptional().describe('Status to have.'),
    trigger: trigger.exactOptional().describe('Replaces the whole trigger.'),
    steps: steps.exactOptional().describe('Replaces all steps.'),
  },
  { identity, moved, rules },
);
export const updateWorkflowBody = workflowChange.body.meta({ typeName: 'UpdateWorkflow' });
export type UpdateWorkflow = z.output<typeof updateWorkflowBody>;

/**
 * A workflow that is checked and not stored: as a new one, or with `id` as a change of that one. Its `name` may be absent here, so that
 * its absence is told beside all other faults.
 */
export const validateWorkflowBody = fieldsOf(
  {
    id: z.string().exactOptional().describe('Workflow that is to be changed. Absent: a new one.'),
    name: name.exactOptional().describe('Name for people. A new workflow needs one.'),
    description: description.exactOptional().describe('Text for people.'),
    status: status.exactOptional().describe('Status to have.'),
    trigger: trigger.exactOptional().describe('Trigger to check.'),
    steps: steps.exactOptional().describe('Steps to check.'),
  },
  { rules: { name: nameProblem, description: controlCharacterProblem } },
).meta({ typeName: 'ValidateWorkflow' });
export type ValidateWorkflow = z.output<typeof validateWorkflowBody>;

export const listWorkflowsQuery = pageQuery
  .extend({
    status: status.exactOptional().describe('Status to have.'),
    ...namedQuery('workflow'),
    connectionId: z.string().exactOptional().describe('Only those whose present steps name this connection.'),
    /** `false` leaves trigger and steps out, which may have 256 KiB, and says their kind and number. */
    definitions: enumQuery(['true', 'false'])
      .optional()
      .describe(
        'With `false` large parts are left out, and a page stays small: trigger and steps of workflows, schemas of channels.',
      ),
  })
  .meta({ typeName: 'ListWorkflows' });
export type ListWorkflows = z.output<typeof listWorkflowsQuery>;

/** A workflow has as many as it was changed; the column of their numbers ends here. */
const VERSIONS = { min: 1, max: 2_147_483_647 };
const versionQuery = wholeNumberQuery(/^[0-9]{1,10}$/, VERSIONS, `must be a whole number from 1 to ${VERSIONS.max}`);

/** Versions of one answer. */
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
  triggerType: z.string().exactOptional().describe('Type of its trigger. Absent where there is none.'),
  stepCount: wholeNumber.describe('Number of its steps.'),
  madeBy: z
    .string()
    .exactOptional()
    .describe('API key, machine credential or person who has made it. Absent in one from before that was noted.'),
  trigger: exactObject
    .exactOptional()
    .describe('Beginning of a run, as its author wrote it. Only where `version` asks for it.'),
  steps: exactArray
    .exactOptional()
    .describe('Work of a run, as its author wrote it. Only where `version` asks for it.'),
  createdAt: time.describe('When it was made.'),
});
export type WorkflowVersion = z.output<typeof workflowVersion>;

export const workflowVersionsAnswer = z
  .strictObject({
    versions: z.array(workflowVersion).describe(`Up to ${VERSIONS_AT_ONCE} versions, the newest first.`),
    hasMore: z.boolean().describe('Whether there are older ones: `beforeVersion` asks for them.'),
  })
  .meta({ typeName: 'WorkflowVersions' });
export type WorkflowVersions = z.output<typeof workflowVersionsAnswer>;

/** Spec §2. */
export const workflowAnswer = z
  .strictObject({
    id: idOf('workflow'),
    name: z.string().describe('Name for people.'),
    description: z.string().exactOptional().describe('Purpose, for people.'),
    status: status.describe('Runs begin while it is active. A draft was never active.'),
    trigger: exactObject
      .exactOptional()
      .describe('Beginning of a run, as its author wrote it. Absent in a draft that has none yet.'),
    steps: exactArray
      .exactOptional()
      .describe('Work of a run, as its author wrote it. Absent in a draft that has none yet.'),
    triggerType: z
      .string()
      .exactOptional()
      .describe('Type of its trigger, in a list with `definitions=false`. Absent in others, and where there is none.'),
    stepCount: wholeNumber
      .exactOptional()
      .describe('Number of its steps, in a list with `definitions=false`. Absent in others.'),
    createdAt: time.describe('When it was made.'),
    updatedAt: time.describe('When it last changed.'),
  })
  .meta({ typeName: 'Workflow' });
export type Workflow = z.output<typeof workflowAnswer>;

export const definitionValidationAnswer = z
  .strictObject({
    valid: z.boolean().describe('Whether such a workflow could be activated.'),
    errors: z.array(fieldProblem).describe('Everything that speaks against it; at most 20.'),
  })
  .meta({ typeName: 'DefinitionValidation' });
export type DefinitionValidation = z.output<typeof definitionValidationAnswer>;
