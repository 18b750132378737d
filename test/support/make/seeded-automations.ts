import { APPROVAL_STATUSES, RUN_STATUSES } from '../../../src/kernel/words/statuses.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { type Filter, idOf } from './list-filters.ts';
import { insertApproval, insertPausedRun, make } from './seed.ts';

/** Deleted messages that started a run of two workflows, and of one. */
const RUN_MESSAGES = ['msg_01k9f2xw6q7v8r3t5y4n0m1c2b', 'msg_01k9f2xw6q7v8r3t5y4n0m1c2c'] as const;
export const begunBy: Filter = { ...idOf('messageId'), values: [...RUN_MESSAGES] };

/** Creates workflows in every state, and runs of two of them in every state. Returns the address of the runs of one. */
export async function seedRuns(posthorn: TestPosthorn, key: string): Promise<string> {
  const { db } = posthorn.deps;
  const workflows: string[] = [];
  for (const status of ['active', 'paused', 'draft', 'active', 'paused', 'draft']) {
    const given = { trigger: { type: 'manual' }, steps: [{ id: 'note', type: 'action' }] };
    workflows.push((await make(posthorn, key, '/v1/workflows', { name: status, status, ...given })).id);
  }
  const [first = '', second = ''] = workflows;
  for (const workflowId of [first, second])
    for (const status of [...RUN_STATUSES, ...RUN_STATUSES]) {
      const id = await insertPausedRun(posthorn, workflowId);
      await db.run.update({ where: { id }, data: { status } });
    }
  // A message starts one run of each workflow.
  const [ofTwo, ofOne] = RUN_MESSAGES;
  for (const [messageId, workflowIds] of [
    [ofTwo, [first, second]],
    [ofOne, [second]],
  ] as const)
    for (const workflowId of workflowIds) {
      const id = await insertPausedRun(posthorn, workflowId);
      await db.run.update({ where: { id }, data: { messageId, triggerType: 'event' } });
    }
  return `/v1/workflows/${first}/runs`;
}

/** Creates approvals in every state, of runs of two workflows that ask twice each. Returns their address. */
export async function seedApprovals(posthorn: TestPosthorn, key: string): Promise<string> {
  for (const name of ['asks', 'asks too']) {
    const { id: workflowId } = await make(posthorn, key, '/v1/workflows', { name });
    for (const status of APPROVAL_STATUSES) {
      const runId = await insertPausedRun(posthorn, workflowId);
      for (const iteration of ['0', '1']) await insertApproval(posthorn, runId, { iteration });
      await posthorn.deps.db.approval.updateMany({ where: { runId }, data: { status } });
    }
  }
  return '/v1/approvals';
}

/** Creates five workflow secrets. Returns their address. */
export async function seedSecrets(posthorn: TestPosthorn, key: string): Promise<string> {
  const value = 'a token';
  for (const n of [1, 2, 3, 4, 5]) await make(posthorn, key, '/v1/secrets', { name: `TOKEN_${n}`, value });
  return '/v1/secrets';
}

/** Creates connections of three connectors, one of which waits for consent. Returns their address. */
export async function seedConnections(posthorn: TestPosthorn, key: string): Promise<string> {
  for (const [connectorId, credentials] of [
    ['slack', { token: 'xoxb-1' }],
    ['resend', { apiKey: 're_1' }],
  ] as const)
    for (const name of ['one', 'two', 'three'])
      await make(posthorn, key, '/v1/connections', { connectorId, name, credentials });
  // Consent was not given at its provider.
  const credentials = { clientId: 'one', clientSecret: 'its secret' };
  for (const name of ['four', 'five'])
    await make(posthorn, key, '/v1/connections', { connectorId: 'google-sheets', name, credentials });
  return '/v1/connections';
}
