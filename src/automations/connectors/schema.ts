import { z } from 'zod';
import { enumQuery, pageQuery } from '../../api/http/reading/query.ts';
import { CONNECTORS } from './catalogue/catalogue.ts';
import { AUTH_TYPES, CATEGORIES } from './catalogue/connector.ts';

export const listConnectorsQuery = pageQuery
  .extend({
    category: enumQuery(CATEGORIES).optional().describe('Only of this category.'),
    search: z.string().min(1).max(100).optional().describe('Only with this text in the name or the description.'),
  })
  .meta({ typeName: 'ListConnectors' });
export type ListConnectors = z.output<typeof listConnectorsQuery>;

export const connectorId = z.enum(CONNECTORS.map(({ id }) => id)).describe('Name of the connector, such as `slack`.');

const jsonSchema = z.record(z.string(), z.unknown());

/** Spec §2. */
export const connectorAnswer = z
  .strictObject({
    id: z.string().describe('Name by which steps and connections mean it.'),
    name: z.string().describe('Name of the service.'),
    description: z.string().describe('Purpose, for people.'),
    category: z.enum(CATEGORIES).describe('Kind of the service.'),
    icon: z.string().describe('Path of its icon on this server, an SVG.'),
    authType: z
      .enum(AUTH_TYPES)
      .describe('Way of the service to know who asks. Steps need a connection unless it is `none`.'),
    status: z.enum(['available']).describe('Whether steps may use it.'),
  })
  .meta({ typeName: 'Connector' });
export type ConnectorSummary = z.output<typeof connectorAnswer>;

export const connectorDetailAnswer = connectorAnswer
  .extend({
    operations: z
      .array(
        z.strictObject({
          id: z.string().describe('Name by which steps mean it.'),
          name: z.string().describe('Name for people.'),
          description: z.string().describe('Effect, for people.'),
          input: jsonSchema.describe(
            'JSON Schema of the parameters of a step. A parameter with `writeOnly` takes a secret as `{{ secrets.NAME }}`.',
          ),
        }),
      )
      .describe('Things that it can be asked to do.'),
    credentials: jsonSchema
      .exactOptional()
      .describe('JSON Schema of the credentials of a connection. Absent where it needs none.'),
  })
  .meta({ typeName: 'ConnectorDetail' });
export type ConnectorDetail = z.output<typeof connectorDetailAnswer>;
