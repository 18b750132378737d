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

const ROTATION = 'POST /v1/api-keys/{apiKeyId}/rotate creates a new key';
const rules = { name: nameProblem };
const key = `must not be given: the service creates it; ${ROTATION}`;

/**
 * Omitted fields default to those of the creating key: its tier with its limits, its scopes, its expiresAt. If a tier
 * is given, omitted limits are those of that tier. `expiresAt` must be in the future; `environment` must be that of the
 * creating key.
 */
export const createApiKeyBody = fieldsOf(
  {
    name: nameField.describe('Display name.'),
    environment: z.enum(ENVIRONMENT_KINDS).optional().describe('Environment of the caller; no other is allowed.'),
    tier: tierField.optional().describe('Tier. Its limits apply where `limits` sets none.'),
    scopes: scopesField.optional().describe('Scopes.'),
    limits: fieldsOf(limitsOf(limitField.optional())).optional().describe('Limits that replace those of the tier.'),
    expiresAt: dateTimeField.optional().describe('When it expires.'),
  },
  {
    identity: { id: sameText(), appId: sameText(), prefix: sameText(), last4: sameText(), createdAt: sameTime() },
    moved: ['status', 'lastUsedAt', 'lastUsedAddress', 'previousKeyExpiresAt'],
    elsewhere: { key },
    rules,
  },
).meta({ typeName: 'CreateApiKey' });

/**
 * Limits are merged. A new tier brings its own limits, except for those given in the same request. Null for a limit
 * resets it to that of the tier; null for `limits` resets all of them. Null for `expiresAt` means never. `status`
 * follows from the other endpoints and from expiresAt (`statusProblem`).
 */
export const apiKeyChange = changeOf(
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

/** Maximum time in seconds for which the previous key remains valid after a rotation: a week. */
const MAX_OVERLAP_SECONDS = 604_800;

/** The default overlap is 0, so the old key ends at once: most rotations happen because a key has leaked. */
export const rotateApiKeyBody = fieldsOf({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(0)
    .describe('Seconds for which the previous key remains valid alongside the new one.'),
})
  .default({ overlapSeconds: 0 })
  .meta({ typeName: 'RotateApiKey' });
export type RotateApiKey = z.output<typeof rotateApiKeyBody>;

/** How to revoke an API key; used in the error text for a change of `status`. */
export const API_KEY_REVOCATION = { revoke: 'DELETE /v1/api-keys/{apiKeyId}', what: 'key' } as const;

export const listApiKeysQuery = pageQuery
  .extend({ status: enumQuery(CREDENTIAL_STATUSES).optional().describe('Only keys with this status.') })
  .meta({ typeName: 'ListApiKeys' });

export type ListApiKeys = z.output<typeof listApiKeysQuery>;
export type CreateApiKey = z.output<typeof createApiKeyBody>;
export type UpdateApiKey = z.output<typeof updateApiKeyBody>;

/** An API key without the key itself. */
export const apiKeyAnswer = z
  .strictObject({
    id: idOf('apiKey'),
    name: z.string().describe('Display name.'),
    appId: idOf('app').describe('App it belongs to.'),
    environment: z.enum(ENVIRONMENT_KINDS).describe('Environment it belongs to; it cannot access any other.'),
    tier: z.enum(TIERS).describe('Tier. Its limits apply where the key has none of its own.'),
    limits: limitsAnswer,
    scopes: z.array(z.enum(SCOPES)).describe('Scopes.'),
    prefix: z
      .string()
      .regex(/^svc_(live|test)_\w{3}$/)
      .describe('First 12 characters of the key, to recognise it by.'),
    last4: z
      .string()
      .regex(/^\w{4}$/)
      .describe('Last 4 characters of the key.'),
    status: z.enum(CREDENTIAL_STATUSES).describe('Only an active key is accepted.'),
    createdAt: time.describe('When it was created.'),
    expiresAt: time.exactOptional().describe('When it expires. Absent if never.'),
    lastUsedAt: time.exactOptional().describe('When it was last used, to the minute. Absent if never.'),
    lastUsedAddress: z
      .string()
      .exactOptional()
      .describe(
        'IP address of the first request in that minute. Behind proxies, TRUSTED_PROXY_HOPS decides which ' +
          'address of `X-Forwarded-For` this is.',
      ),
    previousKeyExpiresAt: time
      .exactOptional()
      .describe(
        'Until when the key from before the last rotation is accepted too. Absent if only the current key ' +
          'is accepted.',
      ),
  })
  .meta({ typeName: 'ApiKey' });
export type ApiKey = z.output<typeof apiKeyAnswer>;

/** Response to creation and rotation, the only ones that show the key. */
export const newApiKeyAnswer = apiKeyAnswer
  .extend({
    key: z
      .string()
      .regex(/^svc_(live|test)_\w{40,}$/)
      .describe('The API key. It is never shown again.'),
  })
  .meta({ typeName: 'NewApiKey' });
export type NewApiKey = z.output<typeof newApiKeyAnswer>;
