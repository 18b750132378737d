import { describe, expect, test } from '@jest/globals';
import type { Evidence } from './entries.ts';
import { FAULT, first, repeated, sound, withAnswers, withDouble } from './planted.ts';
import { reconcile } from './reconcile.ts';

describe('a sound run', () => {
  test('has no breach, and its sums', () => {
    const { breaches, figures } = reconcile(sound());
    expect(breaches).toEqual([]);
    expect(figures).toEqual({
      acknowledged: 1,
      refused: 1,
      unknown: 1,
      messages: 3,
      deliveries: 6,
      delivered: 6,
      deadLetters: 0,
      requests: 6,
      doubles: 0,
    });
  });

  test.each<[string, (evidence: Evidence) => void]>([
    [
      'a retry after a failure',
      (evidence) => {
        first(evidence.sink).status = 500;
        repeated(evidence, 3_000);
        first(evidence.records.deliveries).attempts.push({ number: 2, isAnswered: true, isFailed: false });
      },
    ],
    [
      'a retry after an answer that came too late, as the record says',
      (evidence) => {
        withDouble(3_000)(evidence);
        first(first(evidence.records.deliveries).attempts).isFailed = true;
      },
    ],
    [
      'a message from before a subscription was made',
      (evidence) => {
        first(evidence.subscriptions).made = { askedAt: 1_012, doneAt: 1_015 };
        evidence.records.deliveries.shift();
        evidence.sink.shift();
      },
    ],
    [
      'an attempt that never reached the receiver',
      (evidence) => {
        const { attempts } = first(evidence.records.deliveries);
        first(attempts).isAnswered = false;
        attempts.push({ number: 2, isAnswered: true, isFailed: false });
      },
    ],
    [
      'one double of a killed worker, without a record',
      (evidence) => {
        evidence.faults.push(FAULT);
        repeated(evidence, 12_000);
      },
    ],
    [
      'a retry after an answer that was lost on its way',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0, subscription: 'a' });
        withDouble(1_500)(evidence);
      },
    ],
    [
      'a dead letter',
      (evidence) => {
        Object.assign(first(evidence.records.deliveries), { status: 'failed', openLetters: 1 });
      },
    ],
    [
      'a delivery that waits behind a pause',
      (evidence) => {
        first(evidence.subscriptions).isPaused = true;
        Object.assign(first(evidence.records.deliveries), { status: 'pending', dueAt: 1_000 });
        evidence.records.workflows.push(`delivery/${first(evidence.records.deliveries).id}/1`);
        evidence.resources!.after.workflows = 0;
      },
    ],
    [
      'several tries of one publication that were told the same ids',
      (evidence) => {
        evidence.client.push(
          { kind: 'sent', at: 1_012, request: 'r1b', mark: 'm1', channels: ['c'] },
          { kind: 'acked', at: 1_013, request: 'r1b', ids: ['one'] },
        );
      },
    ],
    [
      'a message without a delivery to a subscription that was being deleted',
      (evidence) => {
        first(evidence.subscriptions).deleted = { askedAt: 1_005, doneAt: 1_025 };
        evidence.records.deliveries.shift();
        evidence.sink.shift();
      },
    ],
    [
      'a silence with the request that was under way',
      (evidence) => {
        evidence.silences.push({ subscription: 'a', from: 1_103, until: 9_000, underWay: 1, why: 'paused' });
      },
    ],
    [
      'two limits while each API counted for itself',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0 });
        withAnswers(evidence, 1);
      },
    ],
    [
      'four limits where Redis was killed: its own, one of each API, and one of the new Redis',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0, counts: 'lost' });
        withAnswers(evidence, 3);
      },
    ],
    [
      'one limit more of an API that was killed between two times without Redis',
      (evidence) => {
        for (const counts of ['away', 'forgotten', 'away'] as const)
          evidence.faults.push({ ...FAULT, lives: 0, counts });
        withAnswers(evidence, 3);
      },
    ],
  ])('stays sound with %s', (_title, change) => {
    const evidence = sound();
    change(evidence);
    expect(reconcile(evidence).breaches).toEqual([]);
  });
});
