import { expect, test } from '@jest/globals';
import { replayWorkflowId } from './replays.ts';
import * as names from './temporal-names.ts';

// Temporal keeps these names in its own store: a change would strand the workflows that run there.
test('the names that Temporal stores do not change', () => {
  expect({ ...names }).toMatchObject({
    TASK_QUEUE: 'posthorn',
    WORKFLOW_TYPES: { deliverMessage: 'deliverMessage', removeExpired: 'removeExpired' },
    FAILURE_TYPES: { attemptFailed: 'AttemptFailed', deadLettered: 'DeadLettered' },
  });
  expect(names.deliveryWorkflowId('dlv_1', 2)).toBe('delivery/dlv_1/2');
  expect(names.reconcilerScheduleId(names.TASK_QUEUE)).toBe('posthorn/reconciler');
  expect(names.retentionScheduleId(names.TASK_QUEUE)).toBe('posthorn/retention');
});

test('every Temporal workflow type has the name of a function that workflows/index.ts exports', () => {
  expect(Object.entries(names.WORKFLOW_TYPES).filter(([key, name]) => key !== name)).toEqual([]);
});

test('there are at most ten search attributes, all of them ours', () => {
  expect(names.SEARCH_ATTRIBUTES.length).toBeLessThanOrEqual(10);
  expect(names.SEARCH_ATTRIBUTES.filter((name) => !/^Posthorn[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
});

test.each<[string, ReturnType<typeof names.deliveryOfWorkflowId>]>([
  [names.deliveryWorkflowId('dlv_1', 2), { deliveryId: 'dlv_1', round: 2 }],
  [names.deliveryWorkflowId('dlv_1', 1_000), { deliveryId: 'dlv_1', round: 1_000 }],
  [replayWorkflowId({ kind: 'replayDeadLetters', id: 'rpl_1' }), undefined],
  [replayWorkflowId({ kind: 'replayMessages', id: 'rpm_1' }), undefined],
  [replayWorkflowId({ kind: 'retryDeliveries', id: 'rty_1' }), undefined],
  ['', undefined],
  ['delivery', undefined],
  ['delivery/dlv_1', undefined],
  ['delivery/dlv_1/', undefined],
  ['delivery/dlv_1/0', undefined],
  ['delivery/dlv_1/-1', undefined],
  ['delivery/dlv_1/1e3', undefined],
  ['delivery/dlv_1/2/3', undefined],
  ['run/run_1/1', undefined],
])('the Temporal workflow id %j names %j', (workflowId, delivery) => {
  expect(names.deliveryOfWorkflowId(workflowId)).toEqual(delivery);
});

test('direct sending and its task queue are named after the process that holds the backlog', () => {
  expect(names.drainWorkflowId('inc_1', 2)).toBe('drain/inc_1/2');
  expect(names.incarnationTaskQueue('posthorn', 'inc_1')).toBe('posthorn/inc_1');
});
