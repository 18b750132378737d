import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { enumQuery, pageQuery } from '../../api/http/reading/query.ts';
import { ENVIRONMENT_KINDS } from '../../kernel/words/rights.ts';
import { nameProblem } from '../../kernel/values/text.ts';

const CONNECTION_STATUSES = ['ready', 'unauthorized'] as const;

const name = z.string().min(1).max(200);
/** Judged by the schema of its connector. */
const credentials = z
  .record(z.string(), z.unknown())
  .describe('Credentials, as `credentials` of the connector describes them. No answer shows them again.');

const shared = z.boolean().describe('Whether the other environment of its app may see it and use it. Default false.');

const moved = ['status', 'updatedAt', 'lastUsedAt', 'lastTest'];
const identity: NonNullable<ResourceFields['identity']> = {
  id: sameText(),
  environment: sameText(),
  createdAt: sameTime(),
};
const rules = { name: nameProblem };

export const createConnectionBody = fieldsOf(
  {
    connectorId: z.string().describe('Connector that it is for, such as `slack`.'),
    name: name.describe('Name for people.'),
    credentials,
    shared: shared.default(false),
  },
  { identity, moved, rules },
).meta({ typeName: 'CreateConnection' });
export type CreateConnection = z.output<typeof createConnectionBody>;

/** Credentials are replaced as a whole. */
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
    connectorId: z.string().optional().describe('Only for this connector.'),
    status: enumQuery(CONNECTION_STATUSES).optional().describe('Only with this status.'),
  })
  .meta({ typeName: 'ListConnections' });
export type ListConnections = z.output<typeof listConnectionsQuery>;

export const connectionAnswer = z
  .strictObject({
    id: idOf('connection'),
    connectorId: z.string().describe('Connector that it is for.'),
    name: z.string().describe('Name for people.'),
    environment: z.enum(ENVIRONMENT_KINDS).describe('Environment that it belongs to, which alone changes it.'),
    shared: z.boolean().describe('Whether the other environment of its app may see it and use it.'),
    status: z
      .enum(CONNECTION_STATUSES)
      .describe('Whether steps can use it. `unauthorized`: somebody must consent at its provider first.'),
    createdAt: time.describe('When it was made.'),
    updatedAt: time.describe('When it last changed.'),
    lastUsedAt: time.exactOptional().describe('When a step last used it, to the minute. Absent before.'),
    lastTest: z
      .strictObject({
        at: time.describe('When it was made.'),
        ok: z.boolean().describe('Whether the service took the credentials.'),
        message: z.string().describe('The same for people.'),
      })
      .exactOptional()
      .describe('Last test of the present credentials, by the environment that it belongs to. Absent before.'),
  })
  .meta({ typeName: 'Connection' });
export type Connection = z.output<typeof connectionAnswer>;

export const connectionTestAnswer = z
  .strictObject({
    ok: z.boolean().describe('Whether the service takes the credentials.'),
    status: z.int().exactOptional().describe('Status of its answer. Absent where none came.'),
    message: z.string().describe('The same for people.'),
  })
  .meta({ typeName: 'ConnectionTest' });
export type ConnectionTest = z.output<typeof connectionTestAnswer>;

export const authorizationAnswer = z
  .strictObject({
    authorizationUrl: z.string().describe('Address at the provider. The browser of one who may consent is sent there.'),
    expiresAt: time.describe('When the address is good no more, used or not.'),
  })
  .meta({ typeName: 'Authorization' });
export type Authorization = z.output<typeof authorizationAnswer>;
