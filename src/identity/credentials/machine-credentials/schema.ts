import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, sameText, sameTime } from '../../../api/http/reading/fields.ts';
import { dateTimeField, enumQuery, pageQuery } from '../../../api/http/reading/query.ts';
import { ENVIRONMENT_KINDS, SCOPES, TIERS } from '../../../kernel/words/rights.ts';
import {
  CREDENTIAL_STATUSES,
  limitField,
  limitsAnswer,
  limitsOf,
  nameField,
  scopesField,
  tierField,
} from '../grants/schema.ts';
import { nameProblem } from '../../../kernel/values/text.ts';

const ROTATION = 'POST /v1/machine-credentials/{machineCredentialId}/rotate makes a new secret';
const rules = { name: nameProblem };
const clientSecret = `is made by the service; ${ROTATION}`;

/** How a machine credential is revoked, for the refusal of a change that would do it. */
export const MACHINE_CREDENTIAL_REVOCATION = {
  revoke: 'DELETE /v1/machine-credentials/{machineCredentialId}',
  what: 'machine credential',
} as const;

/** Fields that are left out are the maker's own, as with an API key. `environment` can only be the maker's. */
export const createMachineCredentialBody = fieldsOf(
  {
    name: nameField.describe('Name for people.'),
    environment: z.enum(ENVIRONMENT_KINDS).optional().describe('The environment of its maker; no other can be chosen.'),
    tier: tierField.optional().describe('Tier whose limits hold where it has none of its own.'),
    scopes: scopesField.optional().describe('Rights that it has.'),
    limits: fieldsOf(limitsOf(limitField.optional()))
      .optional()
      .describe('Limits of its own, in place of those of its tier.'),
    expiresAt: dateTimeField.optional().describe('When it ends by itself.'),
  },
  {
    identity: { id: sameText(), appId: sameText(), createdAt: sameTime() },
    moved: ['status', 'lastUsedAt', 'lastUsedAddress', 'secrets'],
    elsewhere: { clientSecret },
    rules,
  },
).meta({ typeName: 'CreateMachineCredential' });

/** Limits are merged, and null clears, as with an API key. */
export const machineCredentialChange = changeOf(
  {
    name: nameField.exactOptional().describe('Name for people.'),
    tier: tierField.exactOptional().describe('Tier whose limits hold where it has none of its own.'),
    scopes: scopesField.exactOptional().describe('Rights that it has.'),
    limits: z
      .strictObject(limitsOf(limitField.nullable().exactOptional()))
      .nullable()
      .exactOptional()
      .describe('Limits of its own, in place of those of its tier.'),
    expiresAt: dateTimeField.nullable().exactOptional().describe('When it ends by itself.'),
    status: z.enum(CREDENTIAL_STATUSES).exactOptional().describe('Status to have.'),
  },
  {
    identity: { id: sameText(), appId: sameText(), environment: sameText(), createdAt: sameTime() },
    moved: ['lastUsedAt', 'lastUsedAddress', 'secrets'],
    elsewhere: { clientSecret },
    rules,
  },
);
export const updateMachineCredentialBody = machineCredentialChange.body.meta({ typeName: 'UpdateMachineCredential' });

/** Hours for which the secret before the new one is taken as well; 0 ends it at once, with every token. At most a week. */
const DEFAULT_OVERLAP_HOURS = 24;
export const rotateMachineCredentialBody = fieldsOf({
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(DEFAULT_OVERLAP_HOURS)
    .describe('Hours for which older secrets stay valid beside the new one, at most.'),
})
  .default({
    overlapHours: DEFAULT_OVERLAP_HOURS,
  })
  .meta({ typeName: 'RotateMachineCredential' });

export const listMachineCredentialsQuery = pageQuery
  .extend({ status: enumQuery(CREDENTIAL_STATUSES).optional().describe('Status to have.') })
  .meta({ typeName: 'ListMachineCredentials' });

export type ListMachineCredentials = z.output<typeof listMachineCredentialsQuery>;
export type CreateMachineCredential = z.output<typeof createMachineCredentialBody>;
export type UpdateMachineCredential = z.output<typeof updateMachineCredentialBody>;
export type RotateMachineCredential = z.output<typeof rotateMachineCredentialBody>;

/** A machine credential without its secrets. */
export const machineCredentialAnswer = z
  .strictObject({
    id: idOf('machineCredential').describe('The client_id of token requests.'),
    name: z.string().describe('Name for people.'),
    appId: idOf('app').describe('App that it belongs to.'),
    environment: z.enum(ENVIRONMENT_KINDS).describe('Environment that it belongs to, of which alone it sees anything.'),
    tier: z.enum(TIERS).describe('Tier whose limits hold where it has none of its own.'),
    limits: limitsAnswer,
    scopes: z.array(z.enum(SCOPES)).describe('Rights that its access tokens can have.'),
    status: z.enum(CREDENTIAL_STATUSES).describe('Only an active one gets tokens, and only its tokens are taken.'),
    secrets: z
      .array(
        z.strictObject({
          last4: z
            .string()
            .regex(/^[\w-]{4}$/)
            .describe('Its last 4 characters.'),
          createdAt: time.describe('When it was made.'),
          expiresAt: time
            .exactOptional()
            .describe('When it ends, since a newer one was made. Absent: with the next one.'),
          lastUsedAt: time.exactOptional().describe('When it last got a token. Absent before its first one.'),
        }),
      )
      .describe('Valid secrets, newest first: the current one, and up to three older ones while rotations overlap.'),
    createdAt: time.describe('When it was made.'),
    expiresAt: time.exactOptional().describe('When it ends by itself. Absent: never.'),
    lastUsedAt: time.exactOptional().describe('When it last got a token. Absent before its first one.'),
    lastUsedAddress: z.string().exactOptional().describe('IP address from which it got that token.'),
  })
  .meta({ typeName: 'MachineCredential' });
export type MachineCredential = z.output<typeof machineCredentialAnswer>;

/** The answer to creation and rotation: the only time the secret itself is shown. */
export const newMachineCredentialAnswer = machineCredentialAnswer
  .extend({
    clientSecret: z
      .string()
      .regex(/^ocs_[\w-]{43}$/)
      .describe('The secret that signs token requests. Nothing ever shows it again.'),
  })
  .meta({ typeName: 'NewMachineCredential' });
export type NewMachineCredential = z.output<typeof newMachineCredentialAnswer>;
