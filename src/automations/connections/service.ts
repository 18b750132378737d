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

/** Credentials for services that workflows ask. Nothing here gives them back. */
export type Connections = {
  create(caller: EnvironmentCaller, body: CreateConnection): Promise<Connection>;
  list(caller: EnvironmentCaller, query: ListConnections): Promise<Page<Connection>>;
  get(caller: EnvironmentCaller, id: string): Promise<Connection>;
  /** Attempts of steps use the new credentials from now on, those of runs under way too. */
  update(caller: EnvironmentCaller, id: string, body: UpdateConnection): Promise<Connection>;
  /** For good. A step that still names it fails with CONNECTION_MISSING, also one of an environment that it was shared with. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /** Asks the service whether it takes the credentials. CONFLICT where its connector has no request that changes nothing. */
  test(caller: EnvironmentCaller, id: string): Promise<ConnectionTest>;
  /** The address where somebody consents. CONFLICT where its connector has no access tokens. */
  authorize(caller: EnvironmentCaller, id: string): Promise<Authorization>;
  /** The page for a browser that a provider has sent back to this target. */
  comeBack(target: string): Promise<string>;
};

type Needed = {
  audit: { record: RecordAudit };
  send: RequestSender['send'];
  accessTokens: AccessTokens;
  /** Why nothing is sent to an address; undefined when something may be. */
  /** Why nothing is sent to an address, as the end of a sentence. A name server may be asked. */
  urlProblem: (url: string) => Promise<string | undefined>;
  finishAuthorization: (query: string) => Promise<ConsentOutcome>;
};

export function createConnections(
  { tenants, newId, clock, keyRing, config }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing' | 'config'>,
  { audit, send, accessTokens, urlProblem, finishAuthorization }: Needed,
): Connections {
  /** An id that cannot be one never reaches the database, whatever characters it holds. */
  const find = async (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => {
    const stored = isId('connection', id) ? await store.findConnection(transaction, caller, id) : undefined;
    if (stored === undefined) throw notFound('connection');
    return stored;
  };
  /** FORBIDDEN for one that another environment shares. */
  const lock = async (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => {
    const own = isId('connection', id) ? await store.lockConnection(transaction, caller, id) : undefined;
    if (own !== undefined) return own;
    const { connection } = await find(transaction, caller, id);
    throw new ApiError(
      'FORBIDDEN',
      `This connection belongs to the ${connection.environment} environment, which alone changes it`,
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
      // The transaction has ended: the service may take seconds to answer.
      const tested = await testOf(id, found);
      const { environmentId } = caller;
      const { updatedAt } = found.connection;
      // The row of one that the other environment shares is that environment's alone, and stays as it is.
      await tenants.within(caller, (transaction) =>
        store.noteTest(transaction, { environmentId, id, updatedAt }, { ...tested, at: clock() }),
      );
      return tested;
    },

    authorize: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { connection, ciphertext } = await lock(transaction, caller, id);
        const { auth, name } = connectorFor(connection.connectorId);
        if (auth.type !== 'oauth2') throw new ApiError('CONFLICT', `${name} needs no authorization`);
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
 * The columns of a row whose credentials are replaced. A grant stays only where nothing but the secret of the client has changed: tokens
 * must not go to an address that somebody has put there since.
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

/** Credentials that are addresses which this service asks; a browser alone goes to `authorizationUrl`. */
const ASKED = ['baseUrl', 'tokenUrl'] as const;

/** Problems of the addresses among credentials, by field; those of a form that the connector refuses included. */
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
 * The credentials with their defaults. INVALID_REQUEST, with the field, for those that do not fit the connector, and for addresses to
 * which nothing is sent.
 */
function readCredentials(
  { name, auth }: Connector,
  credentials: ConnectionCredentials,
  addressProblem: ReadonlyMap<string, string | undefined>,
): ConnectionCredentials {
  if (auth.type === 'none') throw invalidField('connectorId', `needs no connection: ${name} has no credentials`);
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
  throw new ApiError('CONFLICT', 'The credentials of this connection cannot be opened; PATCH sets new ones');
}

/** Somebody waits meanwhile. */
const TIMEOUT_MS = 10_000;
/** A refusal is read from the beginning of an answer. */
const MAX_BYTES = 65_536;

/** Sends the request by which a connector tests credentials. Nothing of the answer is shown but its status and a known refusal. */
async function tryCredentials(
  sender: Pick<RequestSender, 'send'>,
  connector: Connector,
  credentials: ConnectionCredentials,
): Promise<ConnectionTest> {
  const { name, test, refusal } = connector;
  if (test === undefined)
    throw new ApiError('CONFLICT', `${name} has no request that tests credentials and changes nothing`);
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
  if ('error' in sent) return { ok: false, message: `${name} gave no answer: ${sent.error.message}` };
  const { status } = sent;
  if (status < 200 || status > 299) return { ok: false, status, message: `${name} answered ${status}` };
  // The outcome is kept: a service that sends a credential back puts it in no row.
  const mask = createMask(
    Object.entries(credentials).filter((each): each is [string, string] => isSecret(each[1])),
  ).text;
  const reason = refusal?.(jsonIn(sent.body));
  return reason === undefined
    ? { ok: true, status, message: `${name} takes the credentials` }
    : { ok: false, status, message: `${name} refused: ${storable(mask(reason))}` };
}

/** PostgreSQL takes no NUL, and no half of a surrogate pair. */
const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\uFFFD').slice(0, 200)).toString();

// A shorter text is found in any other.
const LEAST_SECRET = 8;
const isSecret = (value: unknown): value is string => typeof value === 'string' && value.length >= LEAST_SECRET;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
