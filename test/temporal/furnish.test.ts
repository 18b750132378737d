import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { connectToTemporal, installRuntime, type TemporalConnection } from '../../src/platform/temporal/connection.ts';
import { type Furniture, furnish } from '../../src/platform/temporal/furnish.ts';
import { createLog } from '../../src/platform/log.ts';
import { reconcilerScheduleId, SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { createTestTemporal } from '../support/service/temporal.ts';

// Without a worker behind it: what is made in these namespaces is never run.
const { address, taskQueue } = createTestTemporal();
const workers: TemporalConnection[] = [];
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const schedules = [
  { scheduleId: reconcilerScheduleId(taskQueue), everyMs: 30_000, workflowType: WORKFLOW_TYPES.reconcileDeliveries },
];
const namespace = `furnish-${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  installRuntime(createLog('silent'));
  for (let count = 0; count < 3; count += 1) workers.push(await connectToTemporal({ address, namespace }));
});
afterAll(async () => {
  for (const { close } of workers) await close();
});

const shown = async (name: string): Promise<string[]> => {
  const { customAttributes } =
    (await workers[0]?.client.connection.operatorService.listSearchAttributes({ namespace: name })) ?? {};
  return Object.keys(customAttributes ?? {}).filter((attribute) => attribute.startsWith('Posthorn'));
};

// Regression: a worker that described the namespace just after another one had registered it went on at once, the server denied the
// namespace to every other call for up to ten seconds, and the worker ended.
test('a worker that starts just after another has registered the namespace waits until the server has it', async () => {
  const name = `${namespace}-late`;
  const late = await connectToTemporal({ address, namespace: name });
  const { workflowService } = late.client;
  // A server that was asked for a namespace remembers for a while that there is none.
  await expect(workflowService.countWorkflowExecutions({ namespace: name })).rejects.toThrow('not found');
  await workflowService.registerNamespace({
    namespace: name,
    // As in src/platform/temporal/furnish.ts: the generated type is a Long, which takes a number.
    workflowExecutionRetentionPeriod: { seconds: 86_400 as unknown as never },
  });
  expect(await furnish(late.client, { namespace: name, taskQueue, log, schedules })).toEqual({
    isSearchable: true,
    isNewStore: true,
  });
  await late.close();
  expect((await shown(name)).sort()).toEqual([...SEARCH_ATTRIBUTES].sort());
});

test('three workers at once on a Temporal without the namespace all start, and one of them finds the store new', async () => {
  const found = await Promise.all(
    workers.map(({ client }): Promise<Furniture> => furnish(client, { namespace, taskQueue, log, schedules })),
  );
  expect(found.map(({ isSearchable }) => isSearchable)).toEqual([true, true, true]);
  expect(found.filter(({ isNewStore }) => isNewStore)).toHaveLength(1);
  expect((await shown(namespace)).sort()).toEqual([...SEARCH_ATTRIBUTES].sort());
  expect(lines.filter(({ level }) => Number(level) > 30)).toEqual([]);
});
