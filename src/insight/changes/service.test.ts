import { expect, test } from '@jest/globals';
import { changesIn, differences, seenIn } from './service.ts';
import type { SeenRow } from './store.ts';

const row = (
  source: SeenRow['source'],
  id: string,
  status: string | null = null,
  more: Partial<SeenRow> = {},
): SeenRow => ({
  source,
  id,
  status,
  mark: status ?? '',
  isSystem: false,
  ...more,
});
const told = (before: SeenRow[], now: SeenRow[], targets: { action: string; targetId: string }[] = []) =>
  changesIn(differences(seenIn(before), seenIn(now)), targets);

test('rows that are new or differ are told once, with their status', () => {
  const before = [row('delivery', 'dlv_1', 'pending'), row('run', 'run_1', 'running')];
  const now = [
    row('delivery', 'dlv_1', 'delivered'),
    row('delivery', 'dlv_2', 'pending'),
    row('run', 'run_1', 'running'),
  ];
  expect(told(before, now)).toEqual([
    {
      kind: 'delivery',
      changed: [
        { id: 'dlv_1', status: 'delivered' },
        { id: 'dlv_2', status: 'pending' },
      ],
      isComplete: true,
    },
  ]);
  expect(told(now, now)).toEqual([]);
});

test('a row that is gone has changed where it was unfinished, and was pushed out where it was not', () => {
  const before = [
    row('delivery', 'dlv_1', 'retrying'),
    row('delivery', 'dlv_2', 'delivered'),
    row('audit', 'aud_1', 'x'),
  ];
  expect(told(before, [])).toEqual([{ kind: 'delivery', changed: [{ id: 'dlv_1' }], isComplete: true }]);
});

test('the last message of a channel stands for those before it, and one of the service’s own for subscriptions', () => {
  expect(told([], [row('message', 'msg_1', null, { mark: 'chn_1', isSystem: true })])).toEqual([
    { kind: 'message', changed: [{ id: 'msg_1' }], isComplete: false },
    { kind: 'subscription', changed: [], isComplete: false },
  ]);
});

test('entries of the audit log tell of the resource that they are about', () => {
  expect(
    told(
      [],
      [row('audit', 'aud_1', 'channel.updated'), row('audit', 'aud_2', 'message.exported')],
      [
        { action: 'channel.updated', targetId: 'chn_1' },
        { action: 'message.exported', targetId: 'env_1' },
      ],
    ),
  ).toEqual([{ kind: 'channel', changed: [{ id: 'chn_1' }], isComplete: true }]);
});

test('a hundred are named, and more are said to be there', () => {
  const many = Array.from({ length: 130 }, (_, n) => row('delivery', `dlv_${n}`, 'pending'));
  const [change, ...more] = told([], many);
  expect([change?.changed.length, change?.isComplete, more]).toEqual([100, false, []]);
});
