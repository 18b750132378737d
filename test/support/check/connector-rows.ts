import {
  authorizationAnswer,
  connectionAnswer,
  connectionTestAnswer,
} from '../../../src/automations/connections/schema.ts';
import { connectorAnswer, connectorDetailAnswer } from '../../../src/automations/connectors/schema.ts';
import type { ContractRow } from './contract-row.ts';

const scope = 'credentials:write';
const ONE = '/v1/connections/:connectionId';

/** The catalogue (spec §4 and this service's additions), and its credentials. */
export const CONNECTOR_ROWS: ContractRow[] = [
  { method: 'GET', path: '/v1/connectors', scope: 'workflows:read', status: 200, listOf: connectorAnswer },
  {
    method: 'GET',
    path: '/v1/connectors/:connectorId',
    scope: 'workflows:read',
    status: 200,
    answers: connectorDetailAnswer,
  },
  {
    method: 'POST',
    path: '/v1/connections',
    scope,
    status: 201,
    answers: connectionAnswer,
    body: ({ connectorId }) => ({ connectorId, name: 'bot', credentials: { token: 'xoxb-1' } }),
  },
  { method: 'GET', path: '/v1/connections', scope, status: 200, listOf: connectionAnswer },
  { method: 'GET', path: ONE, scope, status: 200, answers: connectionAnswer },
  { method: 'PATCH', path: ONE, scope, status: 200, answers: connectionAnswer, body: () => ({ name: 'renamed' }) },
  { method: 'POST', path: `${ONE}/test`, scope, status: 200, answers: connectionTestAnswer },
  { method: 'POST', path: `${ONE}/authorize`, scope, status: 200, answers: authorizationAnswer },
  { method: 'DELETE', path: ONE, scope, status: 204 },
];
