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

const ROTATION = 'POST /v1/machine-credentials/{machineCredentialId}/rotate creates a new secret';
const rules = { name: nameProblem };
const clientSecret = `must not be given: the service creates it; ${ROTATION}`;

/** How to revoke a machine credential; used in the error text for a change of `status`. */
export const MACHINE_CREDENTIAL_REVOCATION = {
  revoke: 'DELETE /v1/machine-credentials/{machineCredentialId}',
  what: 'machine credential',
} as const;

/** Omitted fields default to those of the calling credential, as for an API key. `environment` must be the caller's. */
export const createMachineCredentialBody = fieldsOf(
  {
    name: nameField.describe('Display name.'),
    environment: z.enum(ENVIRONMENT_KINDS).optional().describe('Environment of the caller; no other is allowed.'),
    tier: tierField.optional().describe('Tier. Its limits apply where `limits` sets none.'),
    scopes: scopesField.optional().describe('Scopes.'),
    limits: fieldsOf(limitsOf(limitField.optional())).optional().describe('Limits that replace those of the tier.'),
    expiresAt: dateTimeField.optional().describe('When it expires.'),
  },
  {
    identity: { id: sameText(), appId: sameText(), createdAt: sameTime() },
    moved: ['status', 'lastUsedAt', 'lastUsedAddress', 'secrets'],
    elsewhere: { clientSecret },
    rules,
  },
).meta({ typeName: 'CreateMachineCredential' });

/** Limits are merged and null clears, as for an API key. */
export const machineCredentialChange = changeOf(
  {
    name: nameField.exactOptional().describe('Display name.'),
    tier: tierField.exactOptional().describe('Tier. Its limits apply where `limits` sets none.'),
    scopes: scopesField.exactOptional().describe('Scopes.'),
    limits: z
      .strictObject(limitsOf(limitField.nullable().exactOptional()))
      .nullable()
      .exactOptional()
      .describe('Limits that replace those of the tier.'),
    expiresAt: dateTimeField.nullable().exactOptional().describe('When it expires.'),
    status: z.enum(CREDENTIAL_STATUSES).exactOptional().describe('New status.'),
  },
  {
    identity: { id: sameText(), appId: sameText(), environment: sameText(), createdAt: sameTime() },
    moved: ['lastUsedAt', 'lastUsedAddress', 'secrets'],
    elsewhere: { clientSecret },
    rules,
  },
);
export const updateMachineCredentialBody = machineCredentialChange.body.meta({ typeName: 'UpdateMachineCredential' });

/**
 * Hours for which older secrets remain valid. 0 ends them at once, together with every token; the maximum is a week.
 */
const DEFAULT_OVERLAP_HOURS = 24;
export const rotateMachineCredentialBody = fieldsOf({
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(DEFAULT_OVERLAP_HOURS)
    .describe('Maximum hours for which older secrets stay valid alongside the new one.'),
})
  .default({
    overlapHours: DEFAULT_OVERLAP_HOURS,
  })
  .meta({ typeName: 'RotateMachineCredential' });

export const listMachineCredentialsQuery = pageQuery
  .extend({ status: enumQuery(CREDENTIAL_STATUSES).optional().describe('Only credentials with this status.') })
  .meta({ typeName: 'ListMachineCredentials' });

export type ListMachineCredentials = z.output<typeof listMachineCredentialsQuery>;
export type CreateMachineCredential = z.output<typeof createMachineCredentialBody>;
export type UpdateMachineCredential = z.output<typeof updateMachineCredentialBody>;
export type RotateMachineCredential = z.output<typeof rotateMachineCredentialBody>;

/** A machine credential without its secrets. */
export const machineCredentialAnswer = z
  .strictObject({
    id: idOf('machineCredential').describe('Used as `client_id` in token requests.'),
    name: z.string().describe('Display name.'),
    appId: idOf('app').describe('App it belongs to.'),
    environment: z.enum(ENVIRONMENT_KINDS).describe('Environment it belongs to; it cannot access any other.'),
    tier: z.enum(TIERS).describe('Tier. Its limits apply where the credential has none of its own.'),
    limits: limitsAnswer,
    scopes: z.array(z.enum(SCOPES)).describe('Scopes that its access tokens can have.'),
    status: z
      .enum(CREDENTIAL_STATUSES)
      .describe('Only an active credential can obtain tokens, and only its tokens are valid.'),
    secrets: z
      .array(
        z.strictObject({
          last4: z
            .string()
            .regex(/^[\w-]{4}$/)
            .describe('Last 4 characters of the secret.'),
          createdAt: time.describe('When the secret was created.'),
          expiresAt: time
            .exactOptional()
            .describe('When the secret expires, because a newer one was created. Absent for the newest secret.'),
          lastUsedAt: time
            .exactOptional()
            .describe('When the secret was last used to obtain a token. Absent if never.'),
        }),
      )
      .describe('Valid secrets, newest first: the current one, and up to three older ones while rotations overlap.'),
    createdAt: time.describe('When it was created.'),
    expiresAt: time.exactOptional().describe('When it expires. Absent if never.'),
    lastUsedAt: time.exactOptional().describe('When it last obtained a token. Absent if never.'),
    lastUsedAddress: z.string().exactOptional().describe('IP address from which it obtained that token.'),
  })
  .meta({ typeName: 'MachineCredential' });
export type MachineCredential = z.output<typeof machineCredentialAnswer>;

/** Response to creation and rotation, the only ones that show the secret. */
export const newMachineCredentialAnswer = machineCredentialAnswer
  .extend({
    clientSecret: z
      .string()
      .regex(/^ocs_[\w-]{43}$/)
      .describe('Client secret, used to sign token requests. It is never shown again.'),
  })
  .meta({ typeName: 'NewMachineCredential' });
export type NewMachineCredential = z.output<typeof newMachineCredentialAnswer>;
