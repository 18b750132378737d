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

export const organisationChange = changeOf({ name: name.exactOptional().describe('Display name.') }, resource);
export const createOrganisationBody = fieldsOf({ name: name.describe('Display name.') }, resource).meta({
  typeName: 'CreateOrganisation',
});
export type CreateOrganisation = z.output<typeof createOrganisationBody>;

export const listOrganisationsQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListOrganisations = z.output<typeof listOrganisationsQuery>;

export const updateOrganisationBody = organisationChange.body.meta({ typeName: 'UpdateOrganisation' });
export type UpdateOrganisation = z.output<typeof updateOrganisationBody>;

export const organisationAnswer = z
  .strictObject({
    id: idOf('organisation'),
    name: z.string().describe('Display name. Several organisations can have the same name.'),
    createdAt: time.describe('When the organisation was created.'),
    updatedAt: time.describe('When the organisation was last changed.'),
  })
  .meta({ typeName: 'Organisation' });
export type Organisation = z.output<typeof organisationAnswer>;
