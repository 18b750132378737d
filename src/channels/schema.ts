import { z } from 'zod';
import { pageQuery } from '../http/query.ts';
import { CHANNEL_STATUSES, type ChannelStatus } from '../shared/statuses.ts';

/** Spec §2. Times are Dates here and ISO 8601 UTC on the wire; what a channel does not have is left out. */
export type Channel = {
  id: string;
  name: string;
  description?: string;
  status: ChannelStatus;
  schema?: unknown;
  retentionDays: number;
  createdAt: Date;
  updatedAt: Date;
};

/** 1–200 and 0–1,000 UTF-16 units, 1–365 days; names need not be unique (DESIGN §4). */
const name = z.string().min(1).max(200);
const description = z.string().max(1_000);
const retentionDays = z.number().int().min(1).max(365);

/** Largest schema, in bytes of UTF-8 as JSON without white space: what Ajv compiles in well under a second (security §4). */
const MAX_SCHEMA_BYTES = 32 * 1024;

/** The caller's own object, kept as it came, with its keys in their order. Whether it is a good JSON Schema is not asked here. */
const schema = z
  .record(z.string(), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_SCHEMA_BYTES, {
    error: `must be at most ${MAX_SCHEMA_BYTES} bytes of JSON`,
  });

export const createChannelBody = z.object({
  name,
  description: description.exactOptional(),
  schema: schema.exactOptional(),
  retentionDays: retentionDays.default(30),
});
export type CreateChannel = z.output<typeof createChannelBody>;

/** Null clears description and schema; absent leaves them as they are. Unknown fields are ignored, but one known is needed. */
export const updateChannelBody = z
  .object({
    name: name.exactOptional(),
    description: description.nullable().exactOptional(),
    status: z.enum(CHANNEL_STATUSES).exactOptional(),
    schema: schema.nullable().exactOptional(),
    retentionDays: retentionDays.exactOptional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: 'must hold at least one of name, description, status, schema and retentionDays',
  });
export type UpdateChannel = z.output<typeof updateChannelBody>;

export const listChannelsQuery = pageQuery.extend({ status: z.enum(CHANNEL_STATUSES).exactOptional() });
export type ListChannels = z.output<typeof listChannelsQuery>;
