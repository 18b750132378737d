import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import * as approvals from '../../src/automations/approvals/store.ts';
import * as tokens from '../../src/automations/connections/token-store.ts';
import * as connections from '../../src/automations/connections/store.ts';
import * as references from '../../src/automations/definitions/reference-store.ts';
import * as definitions from '../../src/automations/definitions/store.ts';
import { openChild } from '../../src/automations/engine/waits/child-store.ts';
import { findCandidates } from '../../src/automations/engine/waits/wait-store.ts';
import { findRefused, findRequests, markAccepted, markRefusedAgain } from '../../src/inbound/requests-store.ts';
import * as inbound from '../../src/inbound/store.ts';
import * as runs from '../../src/automations/runs/store.ts';
import { findStanding } from '../../src/automations/schedules/store.ts';
import { coverChanged } from '../../src/automations/definitions/announce.ts';
import { findWaitingSteps, giveMessage } from '../../src/automations/waking/heard-store.ts';
import * as secrets from '../../src/automations/secrets/store.ts';
import type { DatabaseTransaction } from '../../src/platform/db/client.ts';
import { replayRunLetters, retryRun } from '../../src/delivery/record/statements/run-again.ts';
import { lockInspector } from '../../src/insight/inspectors/store.ts';
import { isNothing } from '../support/check/is-nothing.ts';
import { tableContents } from '../support/check/table-contents.ts';
import type { ResourceIds } from '../support/check/contract-row.ts';
import { insertAutomationRows } from '../support/make/automation-rows.ts';
import { makeBareNeighbours } from '../support/make/bare-neighbours.ts';
import { insertPausedRun } from '../support/make/seed.ts';
import { unfinishedRuns } from '../support/make/unfinished-runs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

/**
 * Each store is called for the rows of one environment in the name of another. A service checks first, so no request would show whether
 * the statement behind it isolates tenants by itself.
 */
let posthorn: TestPosthorn;
let victim: connections.Asking;
let sibling: connections.Asking;
let neighbours: readonly connections.Asking[];
let ids: ResourceIds & { runLetterId: string; secretName: string };
let connection: PoolClient;

const now = new Date();

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const made = await makeBareNeighbours(posthorn);
  ({ victim, sibling, neighbours } = made);
  ids = { ...made.ids, ...(await insertAutomationRows(posthorn, made.ids, now)) };
  connection = await posthorn.deps.pool.connect();
});
afterAll(async () => {
  connection.release();
  await posthorn.stop();
});

type Asking = connections.Asking;
type Call = (from: Asking & Pick<TestPosthorn['deps'], 'db' | 'pool'>) => Promise<unknown>;
const page = { limit: 100, after: undefined };
const approved = { decision: 'approved', by: 'them', comment: undefined, data: undefined } as const;
const state = { stateHash: Buffer.from('theirs'), ciphertext: 'theirs' };
const everything = { eventTypes: [], sinceId: '' };

/** Calls that must find nothing, by the file whose conditions they test. */
const CALLS: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  'src/automations/approvals/store.ts': {
    approvals: ({ environmentId, db }) => approvals.findApprovals(db, { environmentId }, page),
    'an approval': ({ environmentId, db }) => approvals.findApproval(db, environmentId, ids.approvalId),
    'approvals of a run': ({ environmentId, db }) => approvals.findOfRun(db, environmentId, ids.runId),
    'a decision': ({ environmentId }) =>
      approvals.decide(connection, { ...approved, id: ids.approvalId, environmentId }),
  },
  'src/automations/connections/store.ts': {
    connections: ({ db, ...asking }) => connections.findConnections(db, asking, page, {}),
    'a connection': ({ db, ...asking }) => connections.findConnection(db, asking, ids.connectionId),
    'a connection to be changed': ({ db, ...asking }) => connections.lockConnection(db, asking, ids.connectionId),
    'a changed connection': ({ db, ...asking }) =>
      connections.updateConnection(db, asking, ids.connectionId, { name: 'theirs', updatedAt: now }),
    'an authorization': ({ environmentId, db }) =>
      connections.beginAuthorization(db, environmentId, ids.connectionId, state),
    'a deleted connection': ({ environmentId, db }) =>
      connections.deleteConnection(db, environmentId, ids.connectionId),
  },
  'src/automations/connections/token-store.ts': {
    'a renewal': ({ environmentId, pool }) => tokens.claimRenewal(pool, environmentId, ids.connectionId),
    'the end of a renewal': ({ environmentId, pool }) => tokens.endRenewal(pool, environmentId, ids.connectionId),
    'tokens to be changed': ({ environmentId }) => tokens.lockTokens(connection, environmentId, ids.connectionId),
    'changed tokens': ({ environmentId }) => {
      const row = { id: ids.connectionId, environmentId, connectorId: 'http-oauth', ciphertext: '' };
      return tokens.writeTokens(connection, row, { ciphertext: 'theirs', hasTokens: true });
    },
  },
  'src/platform/db/sql/fragments.ts': {
    'connectors of connections': ({ environmentId, db }) =>
      references.findConnectors(db, environmentId, [ids.connectionId]),
  },
  'src/automations/definitions/reference-store.ts': {
    'names of secrets': ({ environmentId, db }) => references.findSecretNames(db, environmentId, [ids.secretName]),
    'ids of webhooks': ({ environmentId, db }) => references.findWebhookIds(db, environmentId, [ids.webhookId]),
    'calls of workflows': ({ environmentId, db }) => references.findCalls(db, environmentId, [ids.workflowId]),
  },
  'src/automations/definitions/store.ts': {
    workflows: ({ environmentId, db }) => definitions.findWorkflows(db, environmentId, page, { hasDefinitions: true }),
    'ids of channels': ({ environmentId, db }) => definitions.findChannelIds(db, environmentId, [ids.channelId]),
    'a workflow': ({ environmentId, db }) => definitions.findWorkflow(db, environmentId, ids.workflowId),
    'a changed workflow': async ({ environmentId, db }) => {
      const own = await definitions.findWorkflow(db, victim.environmentId, ids.workflowId);
      if (own === undefined) throw new Error('The workflow is gone');
      await definitions.updateWorkflow(db, environmentId, own, { name: 'theirs', now });
    },
    'a deleted workflow': ({ environmentId, db }) =>
      definitions.markWorkflowDeleted(db, environmentId, ids.workflowId, now),
  },
  'src/inbound/store.ts': {
    webhooks: ({ environmentId, db }) => inbound.findWebhooks(db, environmentId, page, {}),
    'a channel to be kept': ({ environmentId, db }) => inbound.shareChannel(db, environmentId, ids.channelId),
    'a webhook': ({ environmentId, db }) => inbound.findWebhook(db, environmentId, ids.webhookId),
    refusals: ({ environmentId, db }) => inbound.findRefusals(db, { environmentId, webhookId: ids.webhookId }, page),
  },
  'src/inbound/requests-store.ts': {
    requests: ({ environmentId, db }) => findRequests(db, { environmentId, webhookId: ids.webhookId }, page),
    'a refused request': ({ environmentId, db }) => findRefused(db, environmentId, ids.requestId),
    'an accepted request': ({ environmentId, db }) =>
      markAccepted(db, environmentId, { id: ids.requestId, messageId: ids.messageId, eventId: undefined }),
    'a request that is refused again': ({ environmentId, db }) =>
      markRefusedAgain(db, environmentId, {
        id: ids.requestId,
        reason: 'crashed',
        detail: 'theirs',
        eventId: 'theirs',
      }),
  },
  'src/automations/runs/store.ts': {
    runs: ({ environmentId, db }) => runs.findRuns(db, { environmentId, ids: {} }, { ...page, hasOutputs: true }),
    'a run': ({ environmentId, db }) => runs.findRun(db, environmentId, ids.runId),
    'a workflow to run': ({ environmentId, db }) => runs.findToRun(db, environmentId, ids.workflowId),
    'whether there was a workflow': ({ environmentId, db }) => runs.workflowExists(db, environmentId, ids.workflowId),
    'a cancelled run': ({ environmentId }) =>
      runs.cancelRun(connection, { id: ids.runId, environmentId, reason: 'theirs' }),
    'unfinished runs': ({ environmentId }) => runs.countUnfinished(connection, unfinishedRuns(environmentId, ids)),
    'cancelled runs': ({ environmentId }) =>
      runs.cancelUnfinished(connection, unfinishedRuns(environmentId, ids), { reason: 'theirs', most: 10 }),
    'a run to be retried': ({ environmentId }) => runs.findBegun(connection, { id: ids.runId, environmentId }),
  },
  'src/delivery/record/statements/run-again.ts': {
    'a retried run': ({ environmentId }) => retryRun(connection, again(environmentId, undefined)),
    'a run from its start': ({ environmentId }) => retryRun(connection, again(environmentId, [])),
    'replayed dead letters of runs': ({ environmentId }) =>
      replayRunLetters(connection, { ids: [ids.runLetterId], environmentId, requestedBy: 'them' }),
  },
  'src/automations/definitions/announce.ts': {
    'changed triggers': ({ environmentId, db }) => coverChanged(db, environmentId, [ids.channelId]),
  },
  'src/automations/waking/heard-store.ts': {
    'a message given to waits': ({ environmentId }) =>
      giveMessage(connection, { id: ids.messageId, environmentId, publishedAt: new Date() }, [
        { waitingStep: 'a', key: 'k' },
      ]),
  },
  'src/automations/engine/waits/wait-store.ts': {
    'messages that a wait has missed': ({ environmentId, pool }) =>
      findCandidates(pool, { ...everything, environmentId, runId: ids.runId, channelIds: [ids.channelId] }),
  },
  'src/automations/secrets/store.ts': {
    'sealed secrets': ({ environmentId, pool }) => secrets.readSealed(pool, environmentId, [ids.secretName]),
    secrets: ({ environmentId, db }) => secrets.findSecrets(db, environmentId, page),
    'a secret': ({ environmentId, db }) => secrets.findSecret(db, environmentId, ids.secretId),
    'a changed secret': ({ environmentId, db }) =>
      secrets.setCiphertext(db, environmentId, ids.secretId, { ciphertext: 'theirs', now }),
    'a deleted secret': ({ environmentId, db }) => secrets.deleteSecret(db, environmentId, ids.secretId),
  },
};

const again = (environmentId: string, keptSteps: readonly string[] | undefined) =>
  ({ id: ids.runId, environmentId, requestedBy: 'them', version: undefined, keptSteps }) as const;

describe.each(Object.entries(CALLS))('%s shows and changes nothing of another environment', (_, calls) => {
  test.each(Object.entries(calls))('%s', async (__, call) => {
    const { db, pool } = posthorn.deps;
    const before = await tableContents(pool);
    for (const neighbour of neighbours) {
      // Prisma throws when the row to change is not found.
      const result = await call({ ...neighbour, db, pool }).catch((error: unknown) => {
        if (Reflect.get(Object(error), 'code') !== 'P2025') throw error;
      });
      expect([result, isNothing(result)]).toEqual([result, true]);
    }
    expect(await tableContents(pool)).toEqual(before);
  });
});

test('src/automations/engine/waits/child-store.ts starts no run of a workflow of another environment', async () => {
  const { pool, newId } = posthorn.deps;
  for (const { environmentId } of neighbours) {
    const step = { runId: ids.runId, stepId: 'begin', iteration: '', round: 1, stepType: 'action', isAwaited: false };
    const child = { id: newId('run'), environmentId, workflowId: ids.workflowId, input: '{}', chainDepth: 1 };
    expect(await openChild(pool, { ...step, ...child })).toEqual({ refused: 'workflow missing' });
  }
});

test('src/automations/schedules/store.ts returns no time and no problem of another environment', async () => {
  const { db } = posthorn.deps;
  const { workflowId } = ids;
  const standing = { lastRunAt: now, problem: 'none' };
  expect(await findStanding(db, { environmentId: victim.environmentId, workflowId })).toEqual(standing);
  for (const { environmentId } of neighbours)
    expect(await findStanding(db, { environmentId, workflowId })).toEqual({ lastRunAt: null, problem: null });
});

test('src/automations/definitions/store.ts counts no trigger of another environment', async () => {
  const { db } = posthorn.deps;
  expect(await definitions.lockActiveTriggers(db, victim.environmentId, '')).toHaveLength(1);
  for (const { environmentId } of neighbours)
    expect(await definitions.lockActiveTriggers(db, environmentId, '')).toEqual([]);
});

test("src/automations/waking/heard-store.ts finds no step of another environment's runs that waits", async () => {
  const { db, newId } = posthorn.deps;
  const { environmentId } = sibling;
  const draft = { id: newId('workflow'), environmentId, name: 'own', description: undefined, now };
  const empty = { status: 'active', triggerType: undefined, texts: {}, listens: undefined, madeBy: 'own' } as const;
  await definitions.insertWorkflow(db, { ...draft, ...empty });
  const runId = await insertPausedRun(posthorn, draft.id);
  const wait = { runId, stepId: 'own', iteration: '', environmentId, place: 'b', key: 'k', since: now };
  await db.runWait.create({ data: wait });
  expect(await findWaitingSteps(connection, environmentId)).toEqual(['b']);
  expect(await findWaitingSteps(connection, victim.environmentId)).toEqual(['a', 'c']);
});

const use = { now: new Date('2030-01-01'), unlessSince: new Date('2030-01-01') };

test('src/automations/connections/token-store.ts records no use in another environment', async () => {
  const { db, pool } = posthorn.deps;
  const sealed = { id: ids.connectionId, connectorId: 'http-oauth', ciphertext: '', lastUsedAt: null };
  for (const { environmentId } of neighbours) await tokens.noteUse(pool, { ...sealed, ownerId: environmentId }, use);
  expect(await db.connection.count({ where: { lastUsedAt: use.now } })).toBe(0);
});

test('src/automations/secrets/store.ts records no use in another environment', async () => {
  const { db, pool } = posthorn.deps;
  for (const { environmentId } of neighbours)
    await secrets.noteUses(pool, environmentId, { ...use, ids: [ids.secretId] });
  expect(await db.secret.count({ where: { lastUsedAt: use.now } })).toBe(0);
});

test.each([
  [
    'src/automations/definitions/store.ts',
    'workflows',
    'workflowId',
    (db, own) => definitions.lockWorkflow(db, own.environmentId, ids.workflowId),
  ],
  [
    'src/automations/connections/store.ts',
    'connections',
    'connectionId',
    (db, own) => connections.lockConnection(db, own, ids.connectionId),
  ],
  [
    'src/automations/secrets/store.ts',
    'secrets',
    'secretId',
    (db, own) => secrets.lockSecret(db, own.environmentId, ids.secretId),
  ],
  [
    'src/inbound/store.ts',
    'inbound_webhooks',
    'webhookId',
    (db, own) => inbound.lockWebhook(db, own.environmentId, ids.webhookId),
  ],
  [
    'src/insight/inspectors/store.ts',
    'inspectors',
    'inspectorId',
    (db, own) => lockInspector(db, own.environmentId, ids.inspectorId),
  ],
] satisfies [string, string, keyof ResourceIds, (db: DatabaseTransaction, own: Asking) => Promise<unknown>][])(
  '%s waits for no row of another environment (%s)',
  async (_, table, name, lock) => {
    await connection.query('BEGIN');
    try {
      await connection.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [ids[name]]);
      for (const neighbour of neighbours) {
        const locking = posthorn.deps.db.$transaction(async (transaction) => {
          await transaction.$executeRaw`SET LOCAL lock_timeout = 2000`;
          return lock(transaction, neighbour);
        });
        expect(await locking).toBeUndefined();
      }
    } finally {
      await connection.query('ROLLBACK');
    }
  },
);

test('a run, its steps and its approvals belong to the environment of their workflow', async () => {
  for (const { environmentId } of neighbours)
    for (const [table, column, id] of [
      ['runs', 'id', ids.runId],
      ['run_steps', 'run_id', ids.runId],
      ['approvals', 'id', ids.approvalId],
      ['run_waits', 'run_id', ids.runId],
    ]) {
      const moving = connection.query(`UPDATE ${table} SET environment_id = $1 WHERE ${column} = $2`, [
        environmentId,
        id,
      ]);
      await expect(moving).rejects.toThrow('violates foreign key constraint');
    }
});
