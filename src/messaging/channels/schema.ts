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

/** A payload that does not fit is refused, or published with a warning in the answer. */
const SCHEMA_MODES = ['enforce', 'warn'] as const;
export type SchemaMode = (typeof SCHEMA_MODES)[number];

const schemaMode = z.enum(SCHEMA_MODES);

const status = z.enum(CHANNEL_STATUSES);

/** In a list people see neither blanks at the ends of a name nor another case. */
const isSystemName = (value: unknown): boolean =>
  typeof value === 'string' && value.trim().toLowerCase() === SYSTEM_CHANNEL_NAME;

/** No other channel has the name of the service's own one, so that people can tell it by its name. */
const channelNameProblem = (value: unknown): string | undefined =>
  isSystemName(value) ? 'is reserved for the channel of the service itself' : nameProblem(value);

const resource: ResourceFields = {
  identity: { id: sameText(), createdAt: sameTime() },
  moved: ['updatedAt'],
  rules: { name: channelNameProblem, description: controlCharacterProblem },
};

export const createChannelBody = fieldsOf(
  {
    name: name.describe('Name for people.'),
    description: description.exactOptional().describe('Text for people.'),
    status: status.default('active').describe('Status to have.'),
    schema: schemaField.exactOptional().describe('JSON Schema that holds for every payload.'),
    schemas: schemasField.exactOptional().describe('JSON Schemas by event type, each of which holds beside `schema`.'),
    schemaMode: schemaMode
      .exactOptional()
      .describe('Whether a payload that does not fit is refused, or published with a warning.'),
    /** Default: that of its app. */
    retentionDays: retentionDays.exactOptional().describe('Days after which a message is removed.'),
  },
  resource,
).meta({ typeName: 'CreateChannel' });
export type CreateChannel = z.output<typeof createChannelBody>;

/** Null clears description, schema and schemas; absent leaves them as they are. */
export const channelChange = changeOf(
  {
    name: name.exactOptional().describe('Name for people.'),
    description: description.nullable().exactOptional().describe('Text for people.'),
    status: status.exactOptional().describe('Status to have.'),
    schema: schemaField.nullable().exactOptional().describe('JSON Schema that holds for every payload.'),
    schemas: schemasField
      .nullable()
      .exactOptional()
      .describe('JSON Schemas by event type, each of which holds beside `schema`.'),
    schemaMode: schemaMode
      .exactOptional()
      .describe('Whether a payload that does not fit is refused, or published with a warning.'),
    retentionDays: retentionDays.exactOptional().describe('Days after which a message is removed.'),
  },
  resource,
);
export const updateChannelBody = channelChange.body.meta({ typeName: 'UpdateChannel' });
export type UpdateChannel = z.output<typeof updateChannelBody>;

export const listChannelsQuery = pageQuery
  .extend({
    status: z.enum(CHANNEL_STATUSES).exactOptional().describe('Status to have.'),
    ...namedQuery('channel'),
    /** `false` leaves schemas out: each may be as large as a payload. */
    definitions: enumQuery(['true', 'false'])
      .optional()
      .describe(
        'With `false` large parts are left out, and a page stays small: trigger and steps of workflows, schemas of channels.',
      ),
  })
  .meta({ typeName: 'ListChannels' });
export type ListChannels = z.output<typeof listChannelsQuery>;

const anySchema = z.record(z.string(), z.unknown());

/** Spec §2. */
export const channelAnswer = z
  .strictObject({
    id: idOf('channel'),
    name: z.string().describe('Name for people; several channels may have the same.'),
    description: z.string().exactOptional().describe('Text for people.'),
    status: z.enum(CHANNEL_STATUSES).describe('Only an active channel takes messages.'),
    schema: anySchema.exactOptional().describe('JSON Schema that holds for every payload.'),
    schemas: z
      .record(z.string(), anySchema)
      .exactOptional()
      .describe('JSON Schemas by event type, each of which holds beside `schema`.'),
    schemaMode: z
      .enum(SCHEMA_MODES)
      .exactOptional()
      .describe('A payload that does not fit is refused, or published with a warning. Only where there is a schema.'),
    retentionDays: wholeNumber.describe('Days after which a message is removed.'),
    createdAt: time.describe('When the channel was made.'),
    updatedAt: time.describe('When the channel was last changed.'),
  })
  .meta({ typeName: 'Channel' });
export type Channel = z.output<typeof channelAnswer>;
