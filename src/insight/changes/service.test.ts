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

test('reports new and changed rows once, with their status', () => {
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

test('a missing row counts as changed if it was unfinished, and as displaced by newer rows otherwise', () => {
  const before = [
    row('delivery', 'dlv_1', 'retrying'),
    row('delivery', 'dlv_2', 'delivered'),
    row('audit', 'aud_1', 'x'),
  ];
  expect(told(before, [])).toEqual([{ kind: 'delivery', changed: [{ id: 'dlv_1' }], isComplete: true }]);
});

test('the last message of a channel represents the earlier ones, and a service event also reports subscriptions', () => {
  expect(told([], [row('message', 'msg_1', null, { mark: 'chn_1', isSystem: true })])).toEqual([
    { kind: 'message', changed: [{ id: 'msg_1' }], isComplete: false },
    { kind: 'subscription', changed: [], isComplete: false },
  ]);
});

test('audit entries report the resource they are about', () => {
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

test('names 100 resources and says that there are more', () => {
  const many = Array.from({ length: 130 }, (_, n) => row('delivery', `dlv_${n}`, 'pending'));
  const [change, ...more] = told([], many);
  expect([change?.changed.length, change?.isComplete, more]).toEqual([100, false, []]);
});
