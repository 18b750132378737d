import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const TESTS = fileURLToPath(new URL('../../', import.meta.url));

// Files of half a minute and more in a whole run, because processes die or real retry delays pass in them, and how many seconds each
// takes. A long file that begins last would keep the other workers waiting. docs/testing.md says how the seconds are measured.
const SECONDS = {
  'faults/killed-processes/never-drained.test.ts': 180,
  'faults/restarted-postgres.test.ts': 180,
  'faults/killed-processes/bursts-from-100.test.ts': 160,
  'faults/lost-servers/never-drained.test.ts': 120,
  'faults/promoted-standby.test.ts': 110,
  'dispatch/circuit-ends/always-drained.test.ts': 100,
  'faults/deadly-messages/never-drained.test.ts': 90,
  'dispatch/circuit-ends/never-drained.test.ts': 80,
  'faults/lost-servers/bursts-from-100.test.ts': 80,
  'deliveries/limits.test.ts': 70,
  'faults/lost-servers/bursts-from-1.test.ts': 65,
  'faults/deadly-messages/always-drained.test.ts': 65,
  'replays/messages.test.ts': 65,
  'dispatch/adaptive-limit.test.ts': 60,
  'contract/lists.test.ts': 60,
  'faults/killed-processes/bursts-from-1.test.ts': 50,
  'contract/endpoints.test.ts': 50,
  'process/start.test.ts': 45,
  'deliveries/deliver-anyhow.test.ts': 45,
  'messages/erasure.test.ts': 45,
  'dispatch/hanging-subscriptions.test.ts': 40,
  'readiness/waiting-roles.test.ts': 40,
  'deliveries/loop-mark.test.ts': 35,
  'filters/filter-units.test.ts': 35,
  'deliveries/deliver-message.test.ts': 35,
  'process/several-processes.test.ts': 30,
  'faults/killed-sibling.test.ts': 30,
  'docs/demo.test.ts': 30,
  'schemas/hostile-schemas.test.ts': 30,
  'dispatch/circuit.test.ts': 30,
};
// A moved file would lose its place unnoticed.
for (const file of Object.keys(SECONDS))
  if (!existsSync(TESTS + file)) throw new Error(`longest-first.js names test/${file}, which is not there`);

const secondsOf = ({ path }) => (path.startsWith(TESTS) ? (SECONDS[path.slice(TESTS.length)] ?? 0) : 0);

/** Orders test files: the longest first, all others as jest does (by the last run's times, else by size). */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}
