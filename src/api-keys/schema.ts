import { z } from 'zod';
import type { EnvironmentKind, Limits } from '../http/context.ts';
import { TIERS, type Tier } from '../limits/tiers.ts';
import { SCOPES, type Scope } from '../shared/scopes.ts';

/** active; expired once expiresAt has passed; revoked for ever. */
export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

const name = z.string().min(1).max(200);

/** Upper bound of every limit a key may be given: beyond it numbers mean nothing, and the columns hold 32 bits. */
const MAX_LIMIT = 1_000_000_000;
const limit = z.int().min(1).max(MAX_LIMIT).optional();

/** Unknown limits are refused, not ignored: a mistyped one would leave a key with its tier's, unnoticed. */
const limits = z.strictObject({ requestsPerMinute: limit, burst: limit, concurrent: limit, batchPerMinute: limit });

/**
 * What is left out is the creating key's own: its tier with its limits, and its scopes. Limits that are left out beside a
 * given tier are that tier's. `expiresAt` is in the future (ISO 8601); without it a key lives until it is revoked.
 */
export const createApiKeyBody = z.object({
  name,
  tier: z.enum(TIERS).optional(),
  scopes: z.array(z.enum(SCOPES)).min(1).optional(),
  limits: limits.optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be a date-time such as 2026-01-31T12:00:00Z' })
    .transform((text) => new Date(text))
    .optional(),
});

export const updateApiKeyBody = z.object({ name });

export type CreateApiKey = z.output<typeof createApiKeyBody>;
export type UpdateApiKey = z.output<typeof updateApiKeyBody>;

/** DESIGN §5. `limits` are those in force: the tier's or the key's own. */
export type ApiKey = {
  id: string;
  name: string;
  environment: EnvironmentKind;
  tier: Tier;
  limits: Limits;
  scopes: Scope[];
  /** The first 12 characters and the last 4: enough to tell keys apart. */
  prefix: string;
  last4: string;
  status: ApiKeyStatus;
  createdAt: Date;
  expiresAt?: Date;
  lastUsedAt?: Date;
};

/** The answer to creation and rotation: the only time the key itself is shown. */
export type NewApiKey = ApiKey & { key: string };
