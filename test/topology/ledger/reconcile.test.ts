import { describe, expect, test } from '@jest/globals';
import type { Evidence } from './entries.ts';
import { FAULT, first, request, sound, withAnswers, withDouble } from './planted.ts';
import { reconcile } from './reconcile.ts';

describe('a planted fault is reported', () => {
  test.each<[invariant: string, string, (evidence: Evidence) => void]>([
    [
      'I1',
      'a delivery that is called delivered and never came',
      (evidence) => {
        evidence.sink.shift();
        first(first(evidence.records.deliveries).attempts).isAnswered = false;
      },
    ],
    [
      'I1',
      'an acknowledged message that is not stored',
      (evidence) => {
        evidence.records.messages.shift();
        evidence.records.deliveries.splice(0, 2);
        evidence.sink.splice(0, 2);
        first(evidence.streams).ids.shift();
      },
    ],
    [
      'I1',
      'a failed delivery without a dead letter',
      (evidence) => void Object.assign(first(evidence.records.deliveries), { status: 'failed' }),
    ],
    [
      'I2',
      'a stuck delivery',
      (evidence) => void Object.assign(first(evidence.records.deliveries), { status: 'retrying', dueAt: 20_000 }),
    ],
    [
      'I2',
      'a Temporal workflow that runs without its delivery',
      (evidence) => void evidence.records.workflows.push('delivery/dlv_gone/1'),
    ],
    [
      'I3',
      'a message without one of its deliveries',
      (evidence) => {
        evidence.records.deliveries.shift();
        evidence.sink.shift();
      },
    ],
    [
      'I3',
      'a request that has no delivery',
      (evidence) => {
        evidence.sink.push(request('one', 'c', 1_500));
      },
    ],
    [
      'I3',
      'a delivery to a subscription that was deleted before',
      (evidence) => {
        first(evidence.subscriptions).deleted = { askedAt: 500, doneAt: 600 };
        // Without the messages of the unknown batch, which have another invariant's name.
        evidence.client.splice(2, 2);
        evidence.records.messages.splice(1, 2);
        evidence.records.deliveries.splice(2, 4);
        evidence.sink.splice(2, 4);
        first(evidence.streams).ids.splice(1, 2);
      },
    ],
    ['I3', 'a message that nobody has sent', (evidence) => void evidence.client.splice(2, 2)],
    ['I4', 'a double without a fault', withDouble(1_500)],
    [
      'I4',
      'a double long after the fault',
      (evidence) => {
        evidence.faults.push({ ...FAULT, from: 500_000, until: 500_100 });
        withDouble(20_000)(evidence);
      },
    ],
    [
      'I4',
      'a double beside a fault that ends no life',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0 });
        withDouble(1_500)(evidence);
      },
    ],
    [
      'I4',
      'a double beside a broken way to another receiver',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0, subscription: 'b' });
        withDouble(1_500)(evidence);
      },
    ],
    [
      'I4',
      'more doubles than were in flight',
      (evidence) => {
        evidence.faults.push(FAULT);
        for (const message of ['one', 'two'] as const) evidence.sink.push(request(message, 'a', 1_600));
        for (const row of evidence.records.deliveries)
          row.attempts.push({ number: 2, isAnswered: false, isFailed: false });
      },
    ],
    [
      'I4',
      'more requests than the policy allows',
      (evidence) => {
        for (const at of [1_600, 1_700, 1_800]) evidence.sink.push(request('one', 'a', at));
        for (const entry of evidence.sink) entry.status = entry.at === 1_800 || entry.message !== 'one' ? 200 : 500;
        const row = first(evidence.records.deliveries);
        row.attempts = [1, 2, 3, 4].map((number) => ({ number, isAnswered: true, isFailed: true }));
        for (const entry of evidence.sink) if (entry.subscription === 'b') entry.status = 200;
      },
    ],
    ['I5', 'a half batch that was refused', halfBatch('refused')],
    [
      'I5',
      'a refused publish that is stored',
      (evidence) => {
        evidence.client[3] = { kind: 'refused', at: 1_030, request: 'r2', status: 503, code: 'UNAVAILABLE' };
      },
    ],
    [
      'F4',
      'an answer that no fault of ours may bring',
      (evidence) => {
        evidence.client[5] = { kind: 'refused', at: 1_050, request: 'r3', status: 500, code: 'INTERNAL_ERROR' };
      },
    ],
    [
      'I5',
      'two sets of ids for one publication',
      (evidence) => {
        evidence.client.push(
          { kind: 'sent', at: 1_012, request: 'r1b', mark: 'm1', channels: ['c'] },
          { kind: 'acked', at: 1_013, request: 'r1b', ids: ['two'] },
        );
      },
    ],
    ['I6', 'a request without a record', (evidence) => void (first(evidence.records.deliveries).attempts = [])],
    [
      'I6',
      'an answer on record that no receiver has given',
      (evidence) =>
        void first(evidence.records.deliveries).attempts.push({ number: 2, isAnswered: true, isFailed: false }),
    ],
    [
      'I6',
      'a gap between attempts',
      (evidence) =>
        void first(evidence.records.deliveries).attempts.push({ number: 3, isAnswered: false, isFailed: false }),
    ],
    [
      'I6',
      'more requests without a record than were in flight',
      (evidence) => {
        evidence.faults.push(FAULT);
        for (const row of evidence.records.deliveries.slice(0, 2)) row.attempts = [];
      },
    ],
    ['I7', 'a wrong signature', (evidence) => void (first(evidence.sink).isSigned = false)],
    ['I7', 'another body', (evidence) => void (first(evidence.sink).hash = 'other')],
    ['I8', 'an unordered pair', (evidence) => void first(evidence.streams).ids.reverse()],
    ['I8', 'a message that a stream has not shown', (evidence) => void first(evidence.streams).ids.pop()],
    ['I9', 'a half batch whose outcome is unknown', halfBatch('unknown')],
    [
      'I9',
      'an unknown batch that lacks a delivery',
      (evidence) => {
        evidence.records.deliveries.pop();
        evidence.sink.pop();
      },
    ],
    ['I10', 'more answers than the limit', (evidence) => withAnswers(evidence, 1)],
    [
      'I10',
      'four limits while Redis had its counts',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0, counts: 'forgotten' });
        withAnswers(evidence, 3);
      },
    ],
    [
      'I10',
      'five limits where Redis was killed once',
      (evidence) => {
        evidence.faults.push({ ...FAULT, lives: 0, counts: 'lost' });
        withAnswers(evidence, 4);
      },
    ],
    ['I11', 'memory that is not given back', (evidence) => void (evidence.resources!.after.rss['api'] = 5e8)],
    ['I11', 'connections that stay open', (evidence) => void (evidence.resources!.after.connections = 90)],
    [
      'I11',
      'a transaction that is open and does nothing',
      (evidence) => void (evidence.resources!.after.stuckTransactions = 1),
    ],
    ['I11', 'Temporal workflows that stay open', (evidence) => void (evidence.resources!.after.workflows = 1)],
    [
      'F11',
      'requests while the subscription is paused',
      (evidence) => {
        evidence.silences.push({ subscription: 'a', from: 1_099, until: 9_000, underWay: 1, why: 'paused' });
      },
    ],
  ])('%s: %s', (invariant, _title, plant) => {
    const evidence = sound();
    plant(evidence);
    const { breaches } = reconcile(evidence);
    expect(new Set(breaches.map((breach) => breach.invariant))).toEqual(new Set([invariant]));
  });

  test('an answer to a request that the log does not have', () => {
    const evidence = sound();
    evidence.client.shift();
    expect(() => reconcile(evidence)).toThrow('The client log answers r1, which was never sent');
  });
});

function halfBatch(outcome: 'refused' | 'unknown'): (evidence: Evidence) => void {
  return (evidence) => {
    if (outcome === 'refused')
      evidence.client[3] = { kind: 'refused', at: 1_030, request: 'r2', status: 503, code: 'UNAVAILABLE' };
    evidence.records.messages.pop();
    evidence.records.deliveries.splice(4, 2);
    evidence.sink.splice(4, 2);
    first(evidence.streams).ids.pop();
  };
}
