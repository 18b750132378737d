import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { enumQuery, namedQuery, pageQuery } from '../../api/http/reading/query.ts';
import { controlCharacterProblem, nameProblem } from '../../kernel/values/text.ts';
import { schemaField, schemasField } from '../schemas/schema.ts';
import { RETENTION_DAYS } from '../../kernel/rules/resource-bounds.ts';
import { SYSTEM_CHANNEL_NAME } from '../../kernel/words/event-types.ts';
import { CHANNEL_STATUSES } from '../../kernel/words/statuses.ts';

/** 1–200 and 0–1,000 UTF-16 units, 1–365 days; names need not be unique. */
const name = z.string().min(1).max(200);
const description = z.string().max(1_000);
const retentionDays = z.number().int().min(RETENTION_DAYS.min).max(RETENTION_DAYS.max);

/** Whether a payload that violates the schema is rejected, or published with a warning in the response. */
const SCHEMA_MODES = ['enforce', 'warn'] as const;
export type SchemaMode = (typeof SCHEMA_MODES)[number];

const schemaMode = z.enum(SCHEMA_MODES);

const status = z.enum(CHANNEL_STATUSES);

/** Compares as people read lists: ignoring case, and blanks at either end. */
const isSystemName = (value: unknown): boolean =>
  typeof value === 'string' && value.trim().toLowerCase() === SYSTEM_CHANNEL_NAME;

/** Reserves the name of the system channel, so that people can recognise that channel by its name. */
const channelNameProblem = (value: unknown): string | undefined =>
  isSystemName(value) ? 'is reserved for the system channel' : nameProblem(value);

const resource: ResourceFields = {
  identity: { id: sameText(), createdAt: sameTime() },
  moved: ['updatedAt'],
  rules: { name: channelNameProblem, description: controlCharacterProblem },
};

export const createChannelBody = fieldsOf(
  {
    name: name.describe('Display name.'),
    description: description.exactOptional().describe('Free-text description.'),
    status: status.default('active').describe('Status.'),
    schema: schemaField
      .exactOptional()
      .describe(
        'JSON Schema for every payload (draft 07, 2019-09 or 2020-12). Limits: 32 KiB, 16 levels, 1,000 ' +
          'objects and arrays, `enum` with 500 values, 300 properties per object, 20 of `allOf`, `anyOf`, ' +
          '`oneOf`, `not` and `if`, RE2 patterns of 200 characters. `$ref` works within the document only, ' +
          'without cycles; `$anchor`, `$dynamicRef`, `$async` and `$data` are rejected. Unknown keywords and ' +
          'formats are ignored.',
      ),
    schemas: schemasField.exactOptional().describe('JSON Schemas by event type. Each applies in addition to `schema`.'),
    schemaMode: schemaMode
      .exactOptional()
      .describe('Whether a payload that violates a schema is rejected, or published with a warning.'),
    /** Default: that of the app. */
    retentionDays: retentionDays.exactOptional().describe('Days after which a message is removed.'),
  },
  resource,
).meta({ typeName: 'CreateChannel' });
export type CreateChannel = z.output<typeof createChannelBody>;

/** Null clears description, schema and schemas; omitted fields do not change. */
export const channelChange = changeOf(
  {
    name: name.exactOptional().describe('Display name.'),
    description: description.nullable().exactOptional().describe('Free-text description.'),
    status: status.exactOptional().describe('New status.'),
    schema: schemaField.nullable().exactOptional().describe('JSON Schema for every payload.'),
    schemas: schemasField
      .nullable()
      .exactOptional()
      .describe('JSON Schemas by event type. Each applies in addition to `schema`.'),
    schemaMode: schemaMode
      .exactOptional()
      .describe('Whether a payload that violates a schema is rejected, or published with a warning.'),
    retentionDays: retentionDays.exactOptional().describe('Days after which a message is removed.'),
  },
  resource,
);
export const updateChannelBody = channelChange.body.meta({ typeName: 'UpdateChannel' });
export type UpdateChannel = z.output<typeof updateChannelBody>;

export const listChannelsQuery = pageQuery
  .extend({
    status: z.enum(CHANNEL_STATUSES).exactOptional().describe('Only channels with this status.'),
    ...namedQuery('channel'),
    /** `false` omits schemas, each of which can be as large as a payload. */
    definitions: enumQuery(['true', 'false'])
      .optional()
      .describe(
        '`false` omits large fields, which keeps pages small: `trigger` and `steps` of workflows, schemas ' +
          'of channels.',
      ),
  })
  .meta({ typeName: 'ListChannels' });
export type ListChannels = z.output<typeof listChannelsQuery>;

const anySchema = z.record(z.string(), z.unknown());

/** Spec §2. */
export const channelAnswer = z
  .strictObject({
    id: idOf('channel'),
    name: z.string().describe('Display name. Several channels can have the same name.'),
    description: z.string().exactOptional().describe('Free-text description.'),
    status: z.enum(CHANNEL_STATUSES).describe('Only an active channel accepts messages.'),
    schema: anySchema.exactOptional().describe('JSON Schema for every payload.'),
    schemas: z
      .record(z.string(), anySchema)
      .exactOptional()
      .describe('JSON Schemas by event type. Each applies in addition to `schema`.'),
    schemaMode: z
      .enum(SCHEMA_MODES)
      .exactOptional()
      .describe(
        'Whether a payload that violates a schema is rejected, or published with a warning. Absent if the ' +
          'channel has no schema.',
      ),
    retentionDays: wholeNumber.describe(
      'Days after which a message is removed with its deliveries, attempts and dead letters (up to half ' +
        'an hour later). A message stays longer while one of its deliveries or runs is unfinished or an ' +
        'open dead letter can be replayed.',
    ),
    createdAt: time.describe('When the channel was created.'),
    updatedAt: time.describe('When the channel was last changed.'),
  })
  .meta({ typeName: 'Channel' });
export type Channel = z.output<typeof channelAnswer>;
