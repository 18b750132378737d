import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { RecordAudit } from '../../identity/audit/record.ts';
import type { EnvironmentCaller } from '../../identity/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/api-error.ts';
import { changedParts } from '../../kernel/changed-parts.ts';
import { isId } from '../../kernel/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/page.ts';
import type { RequestSender } from '../../outbound/send-request.ts';
import { CONNECTORS, connectorOf } from '../connectors/catalogue/catalogue.ts';
import type { Connector } from '../connectors/catalogue/connector.ts';
import { misfitOf } from '../connectors/misfit.ts';
import {
  type Connection,
  connectionChange,
  type ConnectionTest,
  type CreateConnection,
  type ListConnections,
  type UpdateConnection,
} from './schema.ts';
import { type Credentials, openCredentials, sealCredentials } from './sealed.ts';
import * as store from './store.ts';
import { tryCredentials } from './try-credentials.ts';

/** Credentials for services that workflows ask. Nothing here gives them back. */
export type Connections = {
  create(caller: EnvironmentCaller, body: CreateConnection): Promise<Connection>;
  list(caller: EnvironmentCaller, query: ListConnections): Promise<Page<Connection>>;
  get(caller: EnvironmentCaller, id: string): Promise<Connection>;
  /** Attempts of steps use the new credentials from now on, those of runs under way too. */
  update(caller: EnvironmentCaller, id: string, body: UpdateConnection): Promise<Connection>;
  /** For good. A step that still names it fails with CONNECTION_MISSING. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /** Asks the service whether it takes the credentials. CONFLICT where its connector has no request that changes nothing. */
  test(caller: EnvironmentCaller, id: string): Promise<ConnectionTest>;
};

export function createConnections(
  { tenants, newId, clock, keyRing }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing'>,
  { audit, createSender }: { audit: { record: RecordAudit }; createSender: () => RequestSender },
): Connections {
  /** An id that cannot be one never reaches the database, whatever characters it holds. */
  const found = async (
    id: string,
    look: () => Promise<store.StoredConnection | undefined>,
  ): Promise<store.StoredConnection> => {
    const stored = isId('connection', id) ? await look() : undefined;
    if (stored === undefined) throw notFound('connection');
    return stored;
  };
  const find = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.findConnection(transaction, environmentId, id));
  const lock = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.lockConnection(transaction, environmentId, id));

  return {
    create: (caller, { connectorId, name, credentials }) => {
      const connector = connectorFor(connectorId);
      const read = readCredentials(connector, credentials);
      return tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const id = newId('connection');
        const ciphertext = sealCredentials(keyRing, id, read);
        const draft = { id, environmentId, connector: connectorId, name, ciphertext };
        const connection = await store.insertConnection(transaction, draft, clock());
        const after = { connectorId, name };
        await audit.record(transaction, caller, { action: 'connection.created', target: { id }, after });
        return connection;
      });
    },

    async list(caller, { connectorId, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'connections', environmentId, filters: { connectorId } };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, (transaction) =>
        store.findConnections(transaction, environmentId, page, { connectorId }),
      );
      return toPage(scope, page.limit, rows, (connection) => connection);
    },

    get: (caller, id) =>
      tenants.within(caller, async (transaction) => (await find(transaction, caller, id)).connection),

    update: (caller, id, body) =>
      tenants.within(caller, async (transaction) => {
        const { connection } = await lock(transaction, caller, id);
        const { credentials, ...change } = connectionChange.of(connection, body);
        const read = credentials && readCredentials(connectorFor(connection.connectorId), credentials);
        if (read === undefined && Object.keys(change).length === 0) return connection;
        const updated = await store.updateConnection(transaction, caller.environmentId, id, {
          ...change,
          ...(read !== undefined && { ciphertext: sealCredentials(keyRing, id, read) }),
          updatedAt: clock(),
        });
        const { before, after } = changedParts(connection, updated, Object.keys(change));
        await audit.record(transaction, caller, {
          action: 'connection.updated',
          target: { id },
          before,
          after: { ...after, ...(read !== undefined && { hasNewCredentials: true }) },
        });
        return updated;
      }),

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { connection } = await lock(transaction, caller, id);
        await store.deleteConnection(transaction, caller.environmentId, id);
        const before = { connectorId: connection.connectorId, name: connection.name };
        await audit.record(transaction, caller, { action: 'connection.deleted', target: { id }, before });
      }),

    async test(caller, id) {
      const { connector, credentials } = await tenants.within(caller, async (transaction) => {
        const { connection, ciphertext } = await find(transaction, caller, id);
        await audit.record(transaction, caller, { action: 'connection.tested', target: { id } });
        return {
          connector: connectorFor(connection.connectorId),
          credentials: opened(keyRing, { id, ciphertext }),
        };
      });
      // The transaction has ended: the service may take seconds to answer.
      const sender = createSender();
      try {
        return await tryCredentials(sender, connector, credentials);
      } finally {
        await sender.close();
      }
    },
  };
}

function connectorFor(id: string): Connector {
  const connector = connectorOf(id);
  if (connector !== undefined) return connector;
  throw invalidField('connectorId', `must be one of ${CONNECTORS.map((each) => each.id).join(', ')}`);
}

/** The credentials with their defaults. INVALID_REQUEST, with the field, for those that do not fit the connector. */
function readCredentials({ name, auth }: Connector, credentials: Credentials): Credentials {
  if (auth.type === 'none') throw invalidField('connectorId', `needs no connection: ${name} has no credentials`);
  const problem = misfitOf(auth.credentials, credentials, ['credentials']);
  if (problem !== undefined) throw invalidField(problem.field, problem.reason);
  return auth.credentials.parse(credentials);
}

function opened(keyRing: Dependencies['keyRing'], row: { id: string; ciphertext: string }): Credentials {
  try {
    return openCredentials(keyRing, row);
  } catch (cause) {
    throw new ApiError('CONFLICT', 'The credentials of this connection cannot be opened; PATCH sets new ones', {
      cause,
    });
  }
}
