import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { namePartQuery, pageQuery } from '../../api/http/reading/query.ts';

/** Large enough for a private key or a long token, and small enough for a request header on most servers. */
const MAX_BYTES = 8_192;

const name = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be a capital letter followed by up to 63 capital letters, digits or _');
const value = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= MAX_BYTES, `must have at most ${MAX_BYTES} bytes`)
  .describe('The secret itself, 1 to 8,192 bytes. Never returned.');

const resource: ResourceFields = {
  identity: {
    id: sameText(),
    name: sameText('cannot change because workflows use it; create another secret'),
    createdAt: sameTime(),
  },
  moved: ['updatedAt', 'lastUsedAt'],
};

export const createSecretBody = fieldsOf(
  {
    name: name.describe(
      'Name used in workflow definitions: a capital letter and up to 63 capital letters, digits or `_`. Unique in the environment; cannot change.',
    ),
    value,
  },
  { identity: { id: sameText(), createdAt: sameTime() }, moved: ['updatedAt', 'lastUsedAt'] },
).meta({ typeName: 'CreateSecret' });
export type CreateSecret = z.output<typeof createSecretBody>;

export const secretChange = changeOf({ value: value.exactOptional() }, resource);
export const updateSecretBody = secretChange.body.meta({ typeName: 'UpdateSecret' });
export type UpdateSecret = z.output<typeof updateSecretBody>;

export const listSecretsQuery = pageQuery
  .extend({ name: namePartQuery.exactOptional().describe('Only secrets with this text in their name, ignoring case.') })
  .meta({ typeName: 'ListSecrets' });
export type ListSecrets = z.output<typeof listSecretsQuery>;

export const workflowSecretAnswer = z
  .strictObject({
    id: idOf('secret'),
    name: z.string().describe('Name used in workflow definitions: `{{ secrets.NAME }}`.'),
    createdAt: time.describe('When it was created.'),
    updatedAt: time.describe('When its value was last set.'),
    lastUsedAt: time.exactOptional().describe('When a step last sent it, to the minute. Absent if none has.'),
  })
  .meta({ typeName: 'WorkflowSecret' });
export type WorkflowSecret = z.output<typeof workflowSecretAnswer>;
