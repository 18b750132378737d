import { z } from 'zod';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { CONNECTORS, connectorOf, isSecret } from '../../connectors/catalogue/catalogue.ts';
import { type Connector, type Operation, misfitWithout } from '../../connectors/catalogue/connector.ts';
import { textsOf } from '../../expressions/templates.ts';
import { common, templates } from './fields.ts';
import type { ConnectorAction, PlannedStep } from './planned.ts';

export const connectorConfig = z.strictObject({
  ...common,
  action: z.literal('connector'),
  connectorId: z.string(),
  operation: z.string(),
  connectionId: z.string().exactOptional(),
  params: templates.default({}),
});

export const plannedConnector = ({
  connectorId,
  operation,
  connectionId,
  params,
}: z.output<typeof connectorConfig>): ConnectorAction => ({
  action: 'connector',
  connectorId,
  operation,
  ...(connectionId !== undefined && { connectionId }),
  params,
});

/** Returns the templates of a step's parameters. Parameters marked as secret by the operation may contain secrets. */
export function connectorTemplates({
  connectorId,
  operation: id,
  params,
}: ConnectorAction): { field: string; template: unknown; maySecret: boolean }[] {
  const operation = connectorOf(connectorId)?.operations.find((each) => each.id === id);
  return Object.entries(params as object).map(([name, template]: [string, unknown]) => ({
    field: `params.${name}`,
    template,
    maySecret: isSecret(operation?.input.shape[name]),
  }));
}

type Problem = { field: string; reason: string };

/** Returns the problems of connector steps that the catalogue can detect. */
export const connectorProblems = (steps: readonly PlannedStep[]): Problem[] =>
  steps.flatMap((step, index) =>
    step.type === 'action' && step.action === 'connector' ? problemsOf(step, ['steps', index, 'config']) : [],
  );

function problemsOf(step: ConnectorAction, at: readonly [string, number, string]): Problem[] {
  const config = `${at[0]}[${at[1]}].${at[2]}`;
  const connector = connectorOf(step.connectorId);
  if (connector === undefined)
    return [{ field: `${config}.connectorId`, reason: unknown('connector', step.connectorId, CONNECTORS) }];
  const operation = connector.operations.find(({ id }) => id === step.operation);
  if (operation === undefined)
    return [{ field: `${config}.operation`, reason: unknown('operation', step.operation, connector.operations) }];
  return [
    ...connectionProblem(connector, step).map((reason) => ({ field: `${config}.connectionId`, reason })),
    ...paramProblems(operation, step.params as Readonly<Record<string, unknown>>, [...at, 'params']),
  ];
}

function unknown(what: string, given: string, known: readonly { id: string }[]): string {
  const ids = known.map(({ id }) => id);
  const nearest = nearestName(given, ids);
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `unknown ${what} ${JSON.stringify(given.slice(0, 100))}; allowed: ${ids.join(', ')}${meant}`;
}

function connectionProblem({ name, auth }: Connector, { connectionId }: ConnectorAction): string[] {
  if (auth.type === 'none')
    return connectionId === undefined ? [] : [`must be left out because ${name} does not need a connection`];
  return connectionId === undefined ? ['is required'] : [];
}

/** Parameters with a template are validated when the template is resolved. */
function paramProblems(
  { input }: Operation,
  params: Readonly<Record<string, unknown>>,
  at: readonly PropertyKey[],
): Problem[] {
  const misfit = misfitWithout(input, params, { isOpen: (name) => hasTemplate(params[name]), at });
  return misfit === undefined ? [] : [misfit];
}

const hasTemplate = (value: unknown): boolean => [...textsOf(value, '')].some(({ text }) => text.includes('{{'));
