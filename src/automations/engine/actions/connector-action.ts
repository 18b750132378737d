import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { Outside } from '../../../platform/crashes/crash-guard.ts';
import { headerValueProblem } from '../../../platform/outbound/headers.ts';
import type { RequestSender } from '../../../platform/outbound/send-request.ts';
import { connectorOf, isSecret } from '../../connectors/catalogue/catalogue.ts';
import { type Connector, type Operation, misfitOf, misfitWithout } from '../../connectors/catalogue/connector.ts';
import { type ConnectorRequest, requestOf } from '../../connectors/request.ts';
import type { ConnectorAction, PlannedStep } from '../../definitions/configs/planned.ts';
import { filledPath } from '../../expressions/addresses.ts';
import { type StepExpressions, toText } from '../../expressions/expressions.ts';
import { piecesOf } from '../../expressions/templates.ts';
import type { ActionKind } from '../attempt-step.ts';
import { outputOf } from './http-action.ts';
import { jsonText } from '../json-text.ts';
import {
  createMask,
  createMasking,
  type OpenSecrets,
  placesByField,
  type SecretPlace,
  secretsAt,
  unmasked,
} from './masked.ts';
import { StepFailed } from '../step-failure.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The credentials of a connection of an environment, and the connector that they are for. Where a provider gives access tokens,
 * `renewed` has the same with another one than the service has rejected; undefined where there is no other. The provider is waited for in
 * `outside`.
 */
export type OpenConnection = (
  environmentId: string,
  connectionId: string,
  outside: Outside,
) => Promise<OpenedConnection | undefined>;
type OpenedConnection = {
  connectorId: string;
  credentials: Values;
  renewed?: (rejected: string) => Promise<Values | undefined>;
};

/** A request as it is recorded: operation and parameters, without credentials and without secrets, as for the action http. */
type Prepared = {
  connectorId: string;
  operation: string;
  connectionId?: string;
  params: Values;
  secrets?: readonly SecretPlace[];
};

/**
 * The action connector: one request of an operation, with the credentials of a connection, by the guarded sender. Credentials are put in
 * by `perform`, which alone sees them, and taken out of what the service says.
 */
export function createConnectorAction({
  sender,
  expressions,
  openSecrets,
  openConnection,
}: {
  sender: Pick<RequestSender, 'send'>;
  expressions: Pick<StepExpressions, 'resolve' | 'evaluate'>;
  openSecrets: OpenSecrets;
  openConnection: OpenConnection;
}): ActionKind {
  return {
    prepare({ step, context }): Prepared {
      const asked = actionOf(step);
      const { operation } = operationOf(asked);
      const masking = createMasking();
      const valueOf = (expression: string): string => toText(expressions.evaluate(expression, context));
      const paths = pathParamsOf(operation);
      const resolved = Object.fromEntries(
        Object.entries(asked.params as Values).map(([name, template]) => [
          name,
          // A template that is one expression alone may give null, and leaves its parameter out.
          paths.has(name) && typeof template === 'string' && piecesOf(template).length > 1
            ? filledPath(template, valueOf)
            : expressions.resolve(template, context, masking.secretOf),
        ]),
      );
      const params = Object.fromEntries(
        // An expression without a value leaves its parameter out.
        Object.entries(resolved)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [
            name,
            typeof value === 'string' && isSecret(operation.input.shape[name])
              ? masking.take(`params.${name}`, value)
              : value,
          ]),
      );
      // A parameter with a secret is checked once the secret is filled in.
      const hidden = new Set(masking.places.map(({ field }) => field));
      const isOpen = (name: string): boolean => hidden.has(`params.${name}`);
      requireFit(misfitWithout(operation.input, params, { isOpen, at: ['params'] }));
      return {
        connectorId: asked.connectorId,
        operation: asked.operation,
        ...(asked.connectionId !== undefined && { connectionId: asked.connectionId }),
        params,
        ...(masking.places.length > 0 && { secrets: masking.places }),
      };
    },

    async perform(prepared, { step, run }, idempotencyKey, outside) {
      const asked = actionOf(step);
      // `as`: that is what `prepare` made.
      const { params: shown, secrets: places = [] } = prepared as Prepared;
      const { connector, operation } = operationOf(asked);
      const secrets = await secretsAt(openSecrets, run.environmentId, places);
      const until = performance.now() + step.timeoutMs;
      const connection = await connectionOf(openConnection, run.environmentId, asked, outside);
      const hiddenAt = { places: placesByField(places), secrets };
      const given = Object.fromEntries(
        Object.entries(shown).map(([name, value]) => [
          name,
          typeof value === 'string' ? unmasked(`params.${name}`, value, hiddenAt) : value,
        ]),
      );
      requireFit(misfitOf(operation.input, given, ['params']));
      const params = operation.input.parse(given);
      const hidden = [...secrets];
      const send = (credentials: Values): ReturnType<RequestSender['send']> => {
        const request = builtFrom(connector, operation, { params, credentials, idempotencyKey });
        hidden.push(...hiddenCredentials(connector, credentials), ...coded(request));
        const outgoing = {
          method: request.method,
          url: request.url,
          headers: request.headers,
          ...(request.body !== undefined && { body: Buffer.from(request.body.text) }),
          sender: run.workflowId,
          timeoutMs: Math.max(1, Math.round(until - performance.now())),
          maxBytes: WORKFLOW_BOUNDS.outputBytes,
        };
        return outside(() => sender.send(outgoing));
      };
      let sent = await send(connection.credentials);
      // A provider may end an access token before its time. A request that was refused for it has done nothing.
      if ('status' in sent && sent.status === 401) {
        const renewed = await connection.renewed?.(String(connection.credentials['accessToken']));
        if (renewed !== undefined) sent = await send(renewed);
      }
      if ('error' in sent && sent.error.class === 'invalid_url')
        throw new StepFailed('INVALID_PARAMS', `the parameters make no address: ${sent.error.message}`);
      const mask = createMask(hidden);
      const { headers: _, ...output } = outputOf(sent, [], mask);
      const reason = 'body' in output ? connector.refusal?.(output.body) : undefined;
      if (reason !== undefined) throw new StepFailed('REFUSED', `${connector.name} refused: ${reason.slice(0, 200)}`);
      return output;
    },
  };
}

function actionOf(step: PlannedStep): ConnectorAction {
  if (step.type !== 'action' || step.action !== 'connector') throw new Error(`${step.id} asks no connector`);
  return step;
}

/** Parameters that stand in the address as they are and hold no secrets: paths. */
const pathParamsOf = ({ request, input }: Operation): ReadonlySet<string> =>
  new Set(
    [...request.url.matchAll(/\{\+(\w+)\}/g)].flatMap(([, name = '']) => (isSecret(input.shape[name]) ? [] : [name])),
  );

/** A connector or an operation of a definition may be gone in a later release. */
function operationOf({ connectorId, operation: id }: ConnectorAction): { connector: Connector; operation: Operation } {
  const connector = connectorOf(connectorId);
  const operation = connector?.operations.find((each) => each.id === id);
  if (connector === undefined || operation === undefined)
    throw new StepFailed('CONNECTOR_MISSING', `this release has no operation ${id} of a connector ${connectorId}`);
  return { connector, operation };
}

async function connectionOf(
  open: OpenConnection,
  environmentId: string,
  { connectorId, connectionId }: ConnectorAction,
  outside: Outside,
): Promise<OpenedConnection> {
  if (connectionId === undefined) return { connectorId, credentials: {} };
  const opened = await open(environmentId, connectionId, outside);
  if (opened?.connectorId === connectorId) return opened;
  throw new StepFailed(
    'CONNECTION_MISSING',
    `the environment has no connection ${connectionId} of ${connectorId}, and none is shared with it`,
  );
}

function builtFrom(
  connector: Connector,
  { request }: Operation,
  given: { params: Values; credentials: Values; idempotencyKey: string },
): ConnectorRequest {
  let built: ConnectorRequest;
  try {
    built = requestOf(connector, request, { ...given, toJson: jsonText });
  } catch {
    // The address may hold a credential, so the reason of its refusal is not shown.
    throw new StepFailed('INVALID_PARAMS', 'the parameters make no address');
  }
  // A connection may be older than this rule, and an access token comes from its provider.
  const [name, value = ''] =
    Object.entries(built.headers).find(([, each]) => headerValueProblem(each) !== undefined) ?? [];
  if (name === undefined) return built;
  throw new StepFailed(
    'CONNECTION_UNREADABLE',
    `the credentials make a header ${name} that ${headerValueProblem(value)}`,
  );
}

function requireFit(misfit: { field: string; reason: string } | undefined): void {
  if (misfit !== undefined) throw new StepFailed('INVALID_PARAMS', `${misfit.field}: ${misfit.reason}`);
}

/** Credentials that nobody may see, by the names that they are shown by. */
const hiddenCredentials = ({ auth }: Connector, credentials: Values): [name: string, secret: string][] =>
  auth.type === 'none'
    ? []
    : Object.entries(credentials).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && (isSecret(auth.credentials.shape[name]) || name === 'accessToken')
          ? [[`connection.${name}`, value]]
          : [],
      );

/** A name and a password are in base64 together, so that the password is not found by itself. */
function coded({ headers }: ConnectorRequest): [name: string, secret: string][] {
  const [scheme, credentials] = headers['authorization']?.split(' ') ?? [];
  return scheme === 'Basic' && credentials !== undefined ? [['connection.authorization', credentials]] : [];
}
