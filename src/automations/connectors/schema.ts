import { z } from 'zod';
import { enumQuery, pageQuery } from '../../api/http/reading/query.ts';
import { CONNECTORS } from './catalogue/catalogue.ts';
import { AUTH_TYPES, CATEGORIES } from './catalogue/connector.ts';

export const listConnectorsQuery = pageQuery
  .extend({
    category: enumQuery(CATEGORIES).optional().describe('Only connectors of this category.'),
    search: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Only connectors with this text in their name or description.'),
  })
  .meta({ typeName: 'ListConnectors' });
export type ListConnectors = z.output<typeof listConnectorsQuery>;

export const connectorId = z.enum(CONNECTORS.map(({ id }) => id)).describe('Id of the connector, such as `slack`.');

const jsonSchema = z.record(z.string(), z.unknown());

/** Spec §2. */
export const connectorAnswer = z
  .strictObject({
    id: z.string().describe('Id used in steps and connections.'),
    name: z.string().describe('Name of the service.'),
    description: z.string().describe('What the service is for.'),
    category: z.enum(CATEGORIES).describe('Category of the service.'),
    icon: z.string().describe('Path of its icon on this server (SVG).'),
    authType: z
      .enum(AUTH_TYPES)
      .describe('How the service authenticates requests. Unless `none`, steps need a connection.'),
    status: z.enum(['available']).describe('Whether steps may use it.'),
  })
  .meta({ typeName: 'Connector' });
export type ConnectorSummary = z.output<typeof connectorAnswer>;

export const connectorDetailAnswer = connectorAnswer
  .extend({
    operations: z
      .array(
        z.strictObject({
          id: z.string().describe('Id used in steps.'),
          name: z.string().describe('Display name.'),
          description: z.string().describe('What the operation does.'),
          input: jsonSchema.describe(
            'JSON Schema of the parameters of a step. A `writeOnly` parameter accepts a secret as `{{ secrets.NAME }}`.',
          ),
        }),
      )
      .describe('Operations that a step can call.'),
    credentials: jsonSchema
      .exactOptional()
      .describe('JSON Schema of the credentials of a connection. Absent if none are needed.'),
  })
  .meta({ typeName: 'ConnectorDetail' });
export type ConnectorDetail = z.output<typeof connectorDetailAnswer>;
