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
 * Returns the credentials of a connection, and its connector. If a provider issues access tokens, `renewed` returns the
 * credentials with a different token than the one the service rejected; undefined if there is no other. Waits for the
 * provider inside `outside`.
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

/** A request as it is recorded: operation and parameters without credentials and secrets, as for the action http. */
type Prepared = {
  connectorId: string;
  operation: string;
  connectionId?: string;
  params: Values;
  secrets?: readonly SecretPlace[];
};

/**
 * The action connector: sends one request of an operation through the guarded sender, with the credentials of a
 * connection. Only `perform` has the credentials; it removes them from the response.
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
          // A template that is a single expression may return null, which omits its parameter.
          paths.has(name) && typeof template === 'string' && piecesOf(template).length > 1
            ? filledPath(template, valueOf)
            : expressions.resolve(template, context, masking.secretOf),
        ]),
      );
      const params = Object.fromEntries(
        // An expression without a value omits its parameter.
        Object.entries(resolved)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [
            name,
            typeof value === 'string' && isSecret(operation.input.shape[name])
              ? masking.take(`params.${name}`, value)
              : value,
          ]),
      );
      // A parameter with a secret is validated after the secret is filled in.
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
      // `as`: created by `prepare`.
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
      // A provider can revoke an access token early. The refused request had no effect, so it can be repeated.
      if ('status' in sent && sent.status === 401) {
        const renewed = await connection.renewed?.(String(connection.credentials['accessToken']));
        if (renewed !== undefined) sent = await send(renewed);
      }
      if ('error' in sent && sent.error.class === 'invalid_url')
        throw new StepFailed('INVALID_PARAMS', `the parameters do not form a valid address: ${sent.error.message}`);
      const mask = createMask(hidden);
      const { headers: _, ...output } = outputOf(sent, [], mask);
      const reason = 'body' in output ? connector.refusal?.(output.body) : undefined;
      if (reason !== undefined) throw new StepFailed('REFUSED', `${connector.name} refused: ${reason.slice(0, 200)}`);
      return output;
    },
  };
}

function actionOf(step: PlannedStep): ConnectorAction {
  if (step.type !== 'action' || step.action !== 'connector') throw new Error(`${step.id} is not a connector action`);
  return step;
}

/** Parameters that are inserted into the address unchanged and contain no secrets: paths. */
const pathParamsOf = ({ request, input }: Operation): ReadonlySet<string> =>
  new Set(
    [...request.url.matchAll(/\{\+(\w+)\}/g)].flatMap(([, name = '']) => (isSecret(input.shape[name]) ? [] : [name])),
  );

/** Returns the connector and operation of a step. A later release may have removed them. */
function operationOf({ connectorId, operation: id }: ConnectorAction): { connector: Connector; operation: Operation } {
  const connector = connectorOf(connectorId);
  const operation = connector?.operations.find((each) => each.id === id);
  if (connector === undefined || operation === undefined)
    throw new StepFailed(
      'CONNECTOR_MISSING',
      `this release does not have the operation ${id} of the connector ${connectorId}`,
    );
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
    `the environment has no connection ${connectionId} for ${connectorId}, and none is shared with it`,
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
    // The address may contain a credential, so the reason is not shown.
    throw new StepFailed('INVALID_PARAMS', 'the parameters do not form a valid address');
  }
  // A connection may be older than this rule, and access tokens come from the provider.
  const [name, value = ''] =
    Object.entries(built.headers).find(([, each]) => headerValueProblem(each) !== undefined) ?? [];
  if (name === undefined) return built;
  throw new StepFailed(
    'CONNECTION_UNREADABLE',
    `the credentials cannot be sent in the header ${name}: it ${headerValueProblem(value)}`,
  );
}

function requireFit(misfit: { field: string; reason: string } | undefined): void {
  if (misfit !== undefined) throw new StepFailed('INVALID_PARAMS', `${misfit.field}: ${misfit.reason}`);
}

/** Credentials to mask, by the names under which they are shown. */
const hiddenCredentials = ({ auth }: Connector, credentials: Values): [name: string, secret: string][] =>
  auth.type === 'none'
    ? []
    : Object.entries(credentials).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && (isSecret(auth.credentials.shape[name]) || name === 'accessToken')
          ? [[`connection.${name}`, value]]
          : [],
      );

/** User name and password are encoded together in base64, so the password alone would not be found. */
function coded({ headers }: ConnectorRequest): [name: string, secret: string][] {
  const [scheme, credentials] = headers['authorization']?.split(' ') ?? [];
  return scheme === 'Basic' && credentials !== undefined ? [['connection.authorization', credentials]] : [];
}
