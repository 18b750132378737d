import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { enumQuery, pageQuery } from '../../api/http/reading/query.ts';
import { ENVIRONMENT_KINDS } from '../../kernel/words/rights.ts';
import { nameProblem } from '../../kernel/values/text.ts';

const CONNECTION_STATUSES = ['ready', 'unauthorized'] as const;

const name = z.string().min(1).max(200);
/** Validated with the schema of the connector. */
const credentials = z
  .record(z.string(), z.unknown())
  .describe('Credentials, as `credentials` of the connector describes them. Never returned.');

const shared = z.boolean().describe('Whether the other environment of the app can see and use it. Default false.');

const moved = ['status', 'updatedAt', 'lastUsedAt', 'lastTest'];
const identity: NonNullable<ResourceFields['identity']> = {
  id: sameText(),
  environment: sameText(),
  createdAt: sameTime(),
};
const rules = { name: nameProblem };

export const createConnectionBody = fieldsOf(
  {
    connectorId: z.string().describe('Connector of the connection, such as `slack`.'),
    name: name.describe('Name for people.'),
    credentials,
    shared: shared.default(false),
  },
  { identity, moved, rules },
).meta({ typeName: 'CreateConnection' });
export type CreateConnection = z.output<typeof createConnectionBody>;

/** Credentials can only be replaced as a whole. */
export const connectionChange = changeOf(
  {
    name: name.exactOptional().describe('Name for people.'),
    credentials: credentials.exactOptional(),
    shared: shared.exactOptional(),
  },
  { identity: { ...identity, connectorId: sameText() }, moved, rules },
);
export const updateConnectionBody = connectionChange.body.meta({ typeName: 'UpdateConnection' });
export type UpdateConnection = z.output<typeof updateConnectionBody>;

export const listConnectionsQuery = pageQuery
  .extend({
    connectorId: z.string().optional().describe('Only connections of this connector.'),
    status: enumQuery(CONNECTION_STATUSES).optional().describe('Only connections with this status.'),
  })
  .meta({ typeName: 'ListConnections' });
export type ListConnections = z.output<typeof listConnectionsQuery>;

export const connectionAnswer = z
  .strictObject({
    id: idOf('connection'),
    connectorId: z.string().describe('Connector of the connection.'),
    name: z.string().describe('Name for people.'),
    environment: z.enum(ENVIRONMENT_KINDS).describe('Environment that owns it; only this environment can change it.'),
    shared: z.boolean().describe('Whether the other environment of the app can see and use it.'),
    status: z
      .enum(CONNECTION_STATUSES)
      .describe('Whether steps can use it. `unauthorized`: a person must first give consent at the provider.'),
    createdAt: time.describe('When it was created.'),
    updatedAt: time.describe('When it was last changed.'),
    lastUsedAt: time.exactOptional().describe('When a step last used it, to the minute. Absent if none has.'),
    lastTest: z
      .strictObject({
        at: time.describe('When the test was run.'),
        ok: z.boolean().describe('Whether the service accepted the credentials.'),
        message: z.string().describe('Result in words.'),
      })
      .exactOptional()
      .describe(
        'Last test of the current credentials by the environment that owns the connection. Absent if there is none.',
      ),
  })
  .meta({ typeName: 'Connection' });
export type Connection = z.output<typeof connectionAnswer>;

export const connectionTestAnswer = z
  .strictObject({
    ok: z.boolean().describe('Whether the service accepts the credentials.'),
    status: z.int().exactOptional().describe('HTTP status of the response. Absent if there was none.'),
    message: z.string().describe('Result in words.'),
  })
  .meta({ typeName: 'ConnectionTest' });
export type ConnectionTest = z.output<typeof connectionTestAnswer>;

export const authorizationAnswer = z
  .strictObject({
    authorizationUrl: z
      .string()
      .describe('Address at the provider. Redirect the browser of a person who may give consent to it.'),
    expiresAt: time.describe('When the address expires if it is not used.'),
  })
  .meta({ typeName: 'Authorization' });
export type Authorization = z.output<typeof authorizationAnswer>;
