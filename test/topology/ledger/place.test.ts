import { expect, test } from '@jest/globals';
import type { Place } from './entries.ts';
import { first, sound } from './planted.ts';
import { reconcile } from './reconcile.ts';

const WAITING: Place = { round: 1, takeovers: 0, holder: null, carrier: null, held: null, circuitOpenedAt: null };
const CARRIER = 'delivery/dlv_one_a/2';

// Old: "is stuck: pending, due 150000 ms ago" left open whether a worker, a Temporal workflow or nobody had the row.
test.each<[string, Partial<Place>, string]>([
  ['nobody', {}, 'waiting: no worker has claimed it; round 1'],
  [
    'a living worker',
    { holder: { id: 'inc_1', pid: 7, leaseEndsAt: 65_000 } },
    'claimed by inc_1 (pid 7), whose lease ends in 5.0 s; round 1',
  ],
  [
    'a worker whose lease is over',
    { holder: { id: 'inc_1', pid: null, leaseEndsAt: 50_000 }, takeovers: 2 },
    'claimed by inc_1, whose lease ended 10.0 s ago; round 1; 2 workers have died with it',
  ],
  [
    'a worker that is forgotten',
    { holder: { id: 'inc_1', pid: null, leaseEndsAt: null } },
    'claimed by inc_1, which is no worker any more; round 1',
  ],
  [
    'a Temporal workflow',
    { carrier: CARRIER, round: 2 },
    `carried by the Temporal workflow ${CARRIER}, which runs; round 2`,
  ],
  [
    'a Temporal workflow that has ended',
    { carrier: 'delivery/dlv_one_a/1' },
    'carried by the Temporal workflow delivery/dlv_one_a/1, which does not run; round 1',
  ],
  [
    'a fault and a circuit',
    { held: { reason: 'service_fault', since: 40_000 }, circuitOpenedAt: 30_000 },
    'waiting: no worker has claimed it; held 20.0 s ago because of service_fault; the circuit of its subscription opened 30.0 s ago; round 1',
  ],
])('a stuck delivery is named with who has it: %s', (_title, further, says) => {
  const evidence = sound();
  const place = { ...WAITING, ...further };
  Object.assign(first(evidence.records.deliveries), { status: 'retrying', dueAt: 20_000, place });
  evidence.records.workflows.push(CARRIER);
  expect(reconcile(evidence).breaches).toContainEqual({
    invariant: 'I2',
    text: `delivery dlv_one_a of one to a is stuck: retrying after 1 attempts, due 40.0 s ago; ${says}`,
  });
});
