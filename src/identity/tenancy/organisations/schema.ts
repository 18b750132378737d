import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../../api/http/reading/fields.ts';
import { pageQuery } from '../../../api/http/reading/query.ts';
import { nameProblem } from '../../../kernel/values/text.ts';

const name = z.string().min(1).max(200);

const resource: ResourceFields = {
  identity: { id: sameText(), createdAt: sameTime() },
  moved: ['updatedAt'],
  rules: { name: nameProblem },
};

export const organisationChange = changeOf({ name: name.exactOptional() }, resource);
export const createOrganisationBody = fieldsOf({ name }, resource);
export type CreateOrganisation = z.output<typeof createOrganisationBody>;

export const listOrganisationsQuery = pageQuery;
export type ListOrganisations = z.output<typeof listOrganisationsQuery>;

export const updateOrganisationBody = organisationChange.body;
export type UpdateOrganisation = z.output<typeof updateOrganisationBody>;

export const organisationAnswer = z.strictObject({
  id: idOf('organisation'),
  name: z.string().describe('Name for people; several organisations may have the same.'),
  createdAt: time.describe('When the organisation was made.'),
  updatedAt: time.describe('When the organisation was last changed.'),
});
export type Organisation = z.output<typeof organisationAnswer>;
