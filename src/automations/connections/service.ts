import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { justWait } from '../../platform/crashes/crash-guard.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { doerOf, type RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { changedParts } from '../../kernel/words/audit-actions.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { RequestSender } from '../../platform/outbound/send-request.ts';
import { StepFailed } from '../engine/step-failure.ts';
import { CONNECTORS, connectorOf } from '../connectors/catalogue/catalogue.ts';
import { type Connector, misfitOf } from '../connectors/catalogue/connector.ts';
import { unsendableIn, requestOf } from '../connectors/request.ts';
import {
  type Authorization,
  type Connection,
  connectionChange,
  type ConnectionTest,
  type CreateConnection,
  type ListConnections,
  type UpdateConnection,
} from './schema.ts';
import type { AccessTokens } from './access-tokens.ts';
import { beginAt, CALLBACK, type ConsentOutcome, pageOfOutcome } from './authorizations.ts';
import { type ConnectionCredentials, openSealed, type Sealed, sealConnection } from './sealed.ts';
import * as store from './store.ts';
import { createMask } from '../engine/actions/masked.ts';

/** Manages credentials for services that workflows call. Credentials are never returned. */
export type Connections = {
  create(caller: EnvironmentCaller, body: CreateConnection): Promise<Connection>;
  list(caller: EnvironmentCaller, query: ListConnections): Promise<Page<Connection>>;
  get(caller: EnvironmentCaller, id: string): Promise<Connection>;
  /** Attempts use the new credentials from now on, including those of runs in progress. */
  update(caller: EnvironmentCaller, id: string, body: UpdateConnection): Promise<Connection>;
  /**
   * Permanent. A step that still uses it fails with CONNECTION_MISSING, even in an environment that it was shared with.
   */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /**
   * Checks whether the service accepts the credentials. Throws CONFLICT if the connector has no request that changes
   * nothing.
   */
  test(caller: EnvironmentCaller, id: string): Promise<ConnectionTest>;
  /** Returns the address where a person gives consent. Throws CONFLICT if the connector has no access tokens. */
  authorize(caller: EnvironmentCaller, id: string): Promise<Authorization>;
  /** Returns the address of the page for a browser that a provider has redirected to this target. */
  comeBack(target: string): Promise<string>;
};

type Needed = {
  audit: { record: RecordAudit };
  send: RequestSender['send'];
  accessTokens: AccessTokens;
  /**
   * Returns why requests to an address are not allowed, as the end of a sentence; undefined if they are. May query a
   * name server.
   */
  urlProblem: (url: string) => Promise<string | undefined>;
  finishAuthorization: (query: string) => Promise<ConsentOutcome>;
};

export function createConnections(
  { tenants, newId, clock, keyRing, config }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing' | 'config'>,
  { audit, send, accessTokens, urlProblem, finishAuthorization }: Needed,
): Connections {
  /** An invalid id never reaches the database, whatever characters it has. */
  const find = async (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => {
    const stored = isId('connection', id) ? await store.findConnection(transaction, caller, id) : undefined;
    if (stored === undefined) throw notFound('connection');
    return stored;
  };
  /** Throws FORBIDDEN for a connection shared by the other environment. */
  const lock = async (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => {
    const own = isId('connection', id) ? await store.lockConnection(transaction, caller, id) : undefined;
    if (own !== undefined) return own;
    const { connection } = await find(transaction, caller, id);
    throw new ApiError(
      'FORBIDDEN',
      `This connection belongs to the ${connection.environment} environment; only that environment can change it`,
    );
  };

  const testOf = async (
    id: string,
    {
      connection,
      ownerId,
      credentials,
    }: { connection: Connection; ownerId: string; credentials: ConnectionCredentials },
  ): Promise<ConnectionTest> => {
    const connector = connectorFor(connection.connectorId);
    if (connector.auth.type !== 'oauth2') return tryCredentials({ send }, connector, credentials);
    try {
      const current = await accessTokens(ownerId, id, { outside: justWait });
      const tested = await tryCredentials({ send }, connector, current ?? credentials);
      if (tested.status !== 401 || current === undefined) return tested;
      const renewed = await accessTokens(ownerId, id, { outside: justWait, rejected: current.accessToken });
      return renewed === undefined ? tested : await tryCredentials({ send }, connector, renewed);
    } catch (failure) {
      if (failure instanceof StepFailed) return { ok: false, message: failure.message };
      throw failure;
    }
  };

  return {
    create: async (caller, { connectorId, name, credentials, shared }) => {
      const connector = connectorFor(connectorId);
      const read = readCredentials(connector, credentials, await addressProblems(credentials, urlProblem));
      return tenants.within(caller, async (transaction) => {
        const id = newId('connection');
        const ciphertext = sealConnection(keyRing, id, { credentials: read });
        const status = connector.auth.type === 'oauth2' ? ('unauthorized' as const) : ('ready' as const);
        const draft = { id, connector: connectorId, name, ciphertext, status, shared };
        const connection = await store.insertConnection(transaction, caller, draft, clock());
        const after = { connectorId, name, shared };
        await audit.record(transaction, caller, { action: 'connection.created', target: { id }, after });
        return connection;
      });
    },

    async list(caller, { connectorId, status, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'connections', environmentId, filters: { connectorId, status } };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, (transaction) =>
        store.findConnections(transaction, caller, page, { connectorId, status }),
      );
      return toPage(scope, page.limit, rows, (connection) => connection);
    },

    get: (caller, id) =>
      tenants.within(caller, async (transaction) => (await find(transaction, caller, id)).connection),

    update: async (caller, id, body) => {
      const problems = await addressProblems(body.credentials ?? {}, urlProblem);
      return tenants.within(caller, async (transaction) => {
        const { connection, ciphertext } = await lock(transaction, caller, id);
        const { credentials, ...change } = connectionChange.of(connection, body);
        const connector = connectorFor(connection.connectorId);
        const read = credentials && readCredentials(connector, credentials, problems);
        if (read === undefined && Object.keys(change).length === 0) return connection;
        const updated = await store.updateConnection(transaction, caller, id, {
          ...change,
          ...(read !== undefined && { ...replaced(keyRing, connector, { id, ciphertext, read }), lastTestedAt: null }),
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
      });
    },

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { connection } = await lock(transaction, caller, id);
        await store.deleteConnection(transaction, caller.environmentId, id);
        const before = { connectorId: connection.connectorId, name: connection.name };
        await audit.record(transaction, caller, { action: 'connection.deleted', target: { id }, before });
      }),

    async test(caller, id) {
      const found = await tenants.within(caller, async (transaction) => {
        const { connection, ciphertext, ownerId } = await find(transaction, caller, id);
        await audit.record(transaction, caller, { action: 'connection.tested', target: { id } });
        return { connection, ownerId, credentials: opened(keyRing, { id, ciphertext }).credentials };
      });
      // After the transaction, because the service may take seconds to respond.
      const tested = await testOf(id, found);
      const { environmentId } = caller;
      const { updatedAt } = found.connection;
      // Matches no row for a connection shared by the other environment, so its owner's test result stays unchanged.
      await tenants.within(caller, (transaction) =>
        store.noteTest(transaction, { environmentId, id, updatedAt }, { ...tested, at: clock() }),
      );
      return tested;
    },

    authorize: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { connection, ciphertext } = await lock(transaction, caller, id);
        const { auth, name } = connectorFor(connection.connectorId);
        if (auth.type !== 'oauth2') throw new ApiError('CONFLICT', `${name} does not need authorization`);
        const sealed = opened(keyRing, { id, ciphertext });
        const redirectUri = config.publicBaseUrl + CALLBACK;
        const begun = await beginAt(auth, sealed, { redirectUri, by: doerOf(caller), now: clock() });
        const { url, expiresAt, stateHash, pending } = begun;
        const oauth = { ...sealed.oauth, pending };
        await store.beginAuthorization(transaction, caller.environmentId, id, {
          stateHash,
          ciphertext: sealConnection(keyRing, id, { ...sealed, oauth }),
        });
        await audit.record(transaction, caller, { action: 'connection.authorization_started', target: { id } });
        return { authorizationUrl: url, expiresAt };
      }),

    async comeBack(target) {
      const query = target.includes('?') ? target.slice(target.indexOf('?')) : '';
      return config.publicBaseUrl + pageOfOutcome(await finishAuthorization(query));
    },
  };
}

/**
 * Returns the columns of a row whose credentials are replaced. The grant only stays if nothing but the client's secret
 * has changed, because tokens must not be sent to a new address.
 */
function replaced(
  keyRing: Dependencies['keyRing'],
  { auth }: Connector,
  { id, ciphertext, read }: { id: string; ciphertext: string; read: ConnectionCredentials },
) {
  if (auth.type !== 'oauth2') return { ciphertext: sealConnection(keyRing, id, { credentials: read }) };
  const known = openedOr(keyRing, { id, ciphertext });
  const shown = (credentials: ConnectionCredentials): string =>
    JSON.stringify(
      Object.keys(auth.credentials.shape).map((name) => (name === 'clientSecret' ? '' : credentials[name])),
    );
  const tokens = known !== undefined && shown(known.credentials) === shown(read) ? known.oauth?.tokens : undefined;
  return {
    ciphertext: sealConnection(keyRing, id, { credentials: read, ...(tokens && { oauth: { tokens } }) }),
    status: tokens === undefined ? ('unauthorized' as const) : ('ready' as const),
    stateHash: null,
  };
}

function connectorFor(id: string): Connector {
  const connector = connectorOf(id);
  if (connector !== undefined) return connector;
  throw invalidField('connectorId', `must be one of ${CONNECTORS.map((each) => each.id).join(', ')}`);
}

/** Credentials that are addresses to which this service sends requests. Only browsers open `authorizationUrl`. */
const ASKED = ['baseUrl', 'tokenUrl'] as const;

/** Returns the problems of addresses among the credentials, by field, even if the connector rejects their format. */
async function addressProblems(
  credentials: Readonly<Record<string, unknown>>,
  urlProblem: Needed['urlProblem'],
): Promise<ReadonlyMap<string, string | undefined>> {
  const problems = ASKED.map(async (field) => {
    const url = credentials[field];
    return [field, typeof url === 'string' ? await urlProblem(url) : undefined] as const;
  });
  return new Map(await Promise.all(problems));
}

/**
 * Returns the credentials with their defaults. Throws INVALID_REQUEST, with the field, if they do not match the
 * connector or contain an address to which requests are not allowed.
 */
function readCredentials(
  { name, auth }: Connector,
  credentials: ConnectionCredentials,
  addressProblem: ReadonlyMap<string, string | undefined>,
): ConnectionCredentials {
  if (auth.type === 'none') throw invalidField('connectorId', `does not need a connection: ${name} has no credentials`);
  const problem = misfitOf(auth.credentials, credentials, ['credentials']);
  if (problem !== undefined) throw invalidField(problem.field, problem.reason);
  const read: ConnectionCredentials = auth.credentials.parse(credentials);
  for (const field of ASKED) {
    const reason = addressProblem.get(field);
    if (reason !== undefined) throw invalidField(`credentials.${field}`, reason);
  }
  const unsendable = unsendableIn(auth, read);
  if (unsendable !== undefined) throw invalidField(`credentials.${unsendable.name}`, unsendable.reason);
  return read;
}

function openedOr(keyRing: Dependencies['keyRing'], row: { id: string; ciphertext: string }): Sealed | undefined {
  try {
    return openSealed(keyRing, row);
  } catch {
    return undefined;
  }
}

function opened(keyRing: Dependencies['keyRing'], row: { id: string; ciphertext: string }): Sealed {
  const sealed = openedOr(keyRing, row);
  if (sealed !== undefined) return sealed;
  throw new ApiError('CONFLICT', 'The credentials of this connection cannot be decrypted; set new ones with PATCH');
}

/** Short, because a person waits for it. */
const TIMEOUT_MS = 10_000;
/** The beginning of a response is enough to find a refusal. */
const MAX_BYTES = 65_536;

/** Sends the connector's test request. Shows only the status of the response and a known refusal. */
async function tryCredentials(
  sender: Pick<RequestSender, 'send'>,
  connector: Connector,
  credentials: ConnectionCredentials,
): Promise<ConnectionTest> {
  const { name, test, refusal } = connector;
  if (test === undefined)
    throw new ApiError('CONFLICT', `${name} has no request that tests credentials without changing anything`);
  const { method, url, headers, body } = requestOf(connector, test, {
    params: {},
    credentials,
    idempotencyKey: '',
    toJson: JSON.stringify,
  });
  const sent = await sender.send({
    method,
    url,
    headers,
    ...(body !== undefined && { body: Buffer.from(body.text) }),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  if ('error' in sent) return { ok: false, message: `${name} did not respond: ${sent.error.message}` };
  const { status } = sent;
  if (status < 200 || status > 299) return { ok: false, status, message: `${name} responded with ${status}` };
  // The message is stored, so credentials that a service sends back are masked.
  const mask = createMask(
    Object.entries(credentials).filter((each): each is [string, string] => isSecret(each[1])),
  ).text;
  const reason = refusal?.(jsonIn(sent.body));
  return reason === undefined
    ? { ok: true, status, message: `${name} accepts the credentials` }
    : { ok: false, status, message: `${name} refused: ${storable(mask(reason))}` };
}

/** PostgreSQL does not accept NUL or lone surrogates. */
const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\uFFFD').slice(0, 200)).toString();

// Shorter texts would also match unrelated parts of the response.
const LEAST_SECRET = 8;
const isSecret = (value: unknown): value is string => typeof value === 'string' && value.length >= LEAST_SECRET;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
