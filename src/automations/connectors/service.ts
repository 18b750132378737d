import { z } from 'zod';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import { encodeBase32, ID_PREFIXES } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import { CONNECTORS, connectorOf } from './catalogue/catalogue.ts';
import type { Connector } from './catalogue/connector.ts';
import type { ConnectorSummary, ListConnectors, ConnectorDetail } from './schema.ts';

/** The catalogue, the same for all tenants. */
export type Connectors = {
  /** Ordered by name. `search` is looked for in names and descriptions, ignoring case. */
  list(caller: EnvironmentCaller, query: ListConnectors): Page<ConnectorSummary>;
  get(id: string): ConnectorDetail;
};

export const iconPathOf = (id: string): string => `/connectors/${id}.svg`;

export function createConnectors(): Connectors {
  return {
    list({ environmentId }, { category, search, ...query }) {
      const scope: ListScope = { list: 'connectors', environmentId, filters: { category, search } };
      const page = pageRequest(scope, query);
      const wanted = search?.toLowerCase();
      const rows = PLACED.filter(
        ({ id, connector }) =>
          (page.after === undefined || id > page.after) &&
          (category === undefined || connector.category === category) &&
          (wanted === undefined || `${connector.name} ${connector.description}`.toLowerCase().includes(wanted)),
      );
      return toPage(scope, page.limit, rows, ({ connector }) => summaryOf(connector));
    },

    get(id) {
      const connector = connectorOf(id);
      if (connector === undefined) throw notFound('connector');
      const { auth, operations } = connector;
      return {
        ...summaryOf(connector),
        operations: operations.map((operation) => ({
          id: operation.id,
          name: operation.name,
          description: operation.description,
          input: schemaOf(operation.input),
        })),
        ...(auth.type !== 'none' && { credentials: schemaOf(auth.credentials) }),
      };
    },
  };
}

/** Connectors with their positions in the format of ids, which cursors require. */
const PLACED = CONNECTORS.map((connector, index) => {
  const place = new Uint8Array(16);
  place[15] = index;
  return { id: `${ID_PREFIXES.connector}_${encodeBase32(place)}`, connector };
});

const summaryOf = ({ id, name, description, category, auth }: Connector): ConnectorSummary => ({
  id,
  name,
  description,
  category,
  icon: iconPathOf(id),
  authType: auth.type,
  status: 'available',
});

const schemaOf = (fields: z.ZodType): Record<string, unknown> => ({ ...z.toJSONSchema(fields, { io: 'input' }) });
