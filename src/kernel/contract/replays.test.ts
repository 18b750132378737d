import { expect, test } from '@jest/globals';
import { REPLAY_KINDS, replayWorkflowId } from './replays.ts';
import { WORKFLOW_TYPES } from './temporal-names.ts';

// Temporal keeps these names in its own store: a change would strand the replays that run there.
test('the names of replays that Temporal stores do not change', () => {
  expect(REPLAY_KINDS).toMatchObject({
    replayDeadLetters: { activity: 'replayDeadLetterBatches', idField: 'bulkReplayId' },
    replayMessages: { activity: 'replayMessageBatches', idField: 'replayId' },
    retryDeliveries: { activity: 'retryDeliveryBatches', idField: 'bulkRetryId' },
  });
  expect(replayWorkflowId({ kind: 'replayDeadLetters', id: 'rpl_1' })).toBe('bulk-replay/rpl_1');
  expect(replayWorkflowId({ kind: 'replayMessages', id: 'rpm_1' })).toBe('message-replay/rpm_1');
  expect(replayWorkflowId({ kind: 'retryDeliveries', id: 'rty_1' })).toBe('bulk-retry/rty_1');
});

test('no two kinds of replays share a name, and none has the type of another Temporal workflow', () => {
  const kinds = Object.entries(REPLAY_KINDS);
  for (const names of [kinds.map(([, { activity }]) => activity), kinds.map(([, { idPrefix }]) => idPrefix)])
    expect(new Set(names).size).toBe(kinds.length);
  expect(kinds.filter(([type]) => type in WORKFLOW_TYPES)).toEqual([]);
});
