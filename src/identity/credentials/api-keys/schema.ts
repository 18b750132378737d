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

export type { CredentialStatus as ApiKeyStatus } from '../grants/schema.ts';

const ROTATION = 'POST /v1/api-keys/{apiKeyId}/rotate makes a new key';
const rules = { name: nameProblem };
const key = `is made by the service; ${ROTATION}`;

/**
 * Fields that are left out are the creating key's own: its tier with its limits, its scopes, its expiresAt. Limits that are left out
 * beside a given tier are that tier's. `expiresAt` is in the future; `environment` can only be the creating key's.
 */
export const createApiKeyBody = fieldsOf(
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
    identity: { id: sameText(), appId: sameText(), prefix: sameText(), last4: sameText(), createdAt: sameTime() },
    moved: ['status', 'lastUsedAt', 'lastUsedAddress', 'previousKeyExpiresAt'],
    elsewhere: { key },
    rules,
  },
).meta({ typeName: 'CreateApiKey' });

/**
 * Limits are merged; another tier brings its own, but for those given beside it. Null ends a limit of the key's own, and for `limits`
 * all of them: the tier's hold. Null for `expiresAt`
 * is never. `status` follows from the other endpoints and from expiresAt (`statusProblem`).
 */
export const apiKeyChange = changeOf(
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
    identity: {
      id: sameText(),
      appId: sameText(),
      environment: sameText(),
      prefix: sameText(`cannot change; ${ROTATION}`),
      last4: sameText(`cannot change; ${ROTATION}`),
      createdAt: sameTime(),
    },
    moved: ['lastUsedAt', 'lastUsedAddress', 'previousKeyExpiresAt'],
    elsewhere: { key },
    rules,
  },
);
export const updateApiKeyBody = apiKeyChange.body.meta({ typeName: 'UpdateApiKey' });

/** Longest time for which a key is taken beside the one that it was replaced by, in s: a week. */
const MAX_OVERLAP_SECONDS = 604_800;

/** The key before the rotation is taken for so long; without it, it ends at once: most who rotate know of a leak. */
export const rotateApiKeyBody = fieldsOf({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(0)
    .describe('Seconds for which the key before is taken beside the new one.'),
})
  .default({ overlapSeconds: 0 })
  .meta({ typeName: 'RotateApiKey' });
export type RotateApiKey = z.output<typeof rotateApiKeyBody>;

/** How a key is revoked, for the refusal of a change that would do it. */
export const API_KEY_REVOCATION = { revoke: 'DELETE /v1/api-keys/{apiKeyId}', what: 'key' } as const;

export const listApiKeysQuery = pageQuery
  .extend({ status: enumQuery(CREDENTIAL_STATUSES).optional().describe('Status to have.') })
  .meta({ typeName: 'ListApiKeys' });

export type ListApiKeys = z.output<typeof listApiKeysQuery>;
export type CreateApiKey = z.output<typeof createApiKeyBody>;
export type UpdateApiKey = z.output<typeof updateApiKeyBody>;

/** An API key without its text. */
export const apiKeyAnswer = z
  .strictObject({
    id: idOf('apiKey'),
    name: z.string().describe('Name for people.'),
    appId: idOf('app').describe('App that it belongs to.'),
    environment: z.enum(ENVIRONMENT_KINDS).describe('Environment that it belongs to, of which alone it sees anything.'),
    tier: z.enum(TIERS).describe('Tier whose limits hold where it has none of its own.'),
    limits: limitsAnswer,
    scopes: z.array(z.enum(SCOPES)).describe('Rights that it has.'),
    prefix: z
      .string()
      .regex(/^svc_(live|test)_\w{3}$/)
      .describe('Its first 12 characters, by which keys are told apart.'),
    last4: z
      .string()
      .regex(/^\w{4}$/)
      .describe('Its last 4 characters.'),
    status: z.enum(CREDENTIAL_STATUSES).describe('Only an active key is taken.'),
    createdAt: time.describe('When it was made.'),
    expiresAt: time.exactOptional().describe('When it ends by itself. Absent: never.'),
    lastUsedAt: time.exactOptional().describe('When it was last used, to the minute. Absent before its first use.'),
    lastUsedAddress: z.string().exactOptional().describe('IP address of the first request in that minute.'),
    previousKeyExpiresAt: time
      .exactOptional()
      .describe('Until when the key before the last rotation is taken too. Absent: only the last one is.'),
  })
  .meta({ typeName: 'ApiKey' });
export type ApiKey = z.output<typeof apiKeyAnswer>;

/** The answer to creation and rotation: the only time the key itself is shown. */
export const newApiKeyAnswer = apiKeyAnswer
  .extend({
    key: z
      .string()
      .regex(/^svc_(live|test)_\w{40,}$/)
      .describe('The key itself. Nothing ever shows it again.'),
  })
  .meta({ typeName: 'NewApiKey' });
export type NewApiKey = z.output<typeof newApiKeyAnswer>;
