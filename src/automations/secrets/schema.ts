import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { namePartQuery, pageQuery } from '../../api/http/reading/query.ts';

/** Bytes of a secret: room for a private key or a long token, and little enough for a header of most servers. */
const MAX_BYTES = 8_192;

const name = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be a capital letter, and up to 63 capital letters, digits or _');
const value = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= MAX_BYTES, `must have at most ${MAX_BYTES} bytes`)
  .describe('The secret itself. No answer shows it again.');

const resource: ResourceFields = {
  identity: {
    id: sameText(),
    name: sameText('cannot change: workflows name it; make another one'),
    createdAt: sameTime(),
  },
  moved: ['updatedAt', 'lastUsedAt'],
};

export const createSecretBody = fieldsOf(
  {
    name: name.describe('Name by which definitions of workflows mean it. Unique in the environment.'),
    value,
  },
  { identity: { id: sameText(), createdAt: sameTime() }, moved: ['updatedAt', 'lastUsedAt'] },
).meta({ typeName: 'CreateSecret' });
export type CreateSecret = z.output<typeof createSecretBody>;

export const secretChange = changeOf({ value: value.exactOptional() }, resource);
export const updateSecretBody = secretChange.body.meta({ typeName: 'UpdateSecret' });
export type UpdateSecret = z.output<typeof updateSecretBody>;

export const listSecretsQuery = pageQuery
  .extend({ name: namePartQuery.exactOptional().describe('Only those with this in their name, in any case.') })
  .meta({ typeName: 'ListSecrets' });
export type ListSecrets = z.output<typeof listSecretsQuery>;

export const workflowSecretAnswer = z
  .strictObject({
    id: idOf('secret'),
    name: z.string().describe('Name by which definitions of workflows mean it: `{{ secrets.NAME }}`.'),
    createdAt: time.describe('When it was made.'),
    updatedAt: time.describe('When its value was last set.'),
    lastUsedAt: time.exactOptional().describe('When a step last sent it, to the minute. Absent before.'),
  })
  .meta({ typeName: 'WorkflowSecret' });
export type WorkflowSecret = z.output<typeof workflowSecretAnswer>;
