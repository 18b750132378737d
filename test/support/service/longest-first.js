import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const TESTS = fileURLToPath(new URL('../../', import.meta.url));

// Files that wait for most of their time, because processes die or real retry delays pass in them, and how many seconds each takes in a
// whole run. A long file that begins last would keep the other workers waiting. docs/testing.md says how the seconds are measured.
const WAITING = {
  'faults/killed-processes/never-drained.test.ts': 180,
  'faults/restarted-postgres.test.ts': 180,
  'faults/killed-processes/bursts-from-100.test.ts': 160,
  'faults/lost-servers/never-drained.test.ts': 120,
  'faults/promoted-standby.test.ts': 110,
  'faults/endless-loops/processes-1.test.ts': 140,
  'dispatch/circuit-ends/always-drained.test.ts': 100,
  'faults/endless-loops/processes-3.test.ts': 95,
  'faults/deadly-messages/never-drained.test.ts': 90,
  'dispatch/circuit-ends/never-drained.test.ts': 80,
  'faults/lost-servers/bursts-from-100.test.ts': 80,
  'deliveries/limits.test.ts': 70,
  'faults/lost-servers/bursts-from-1.test.ts': 65,
  'faults/deadly-messages/always-drained.test.ts': 65,
  'faults/deadly-work/processes-1.test.ts': 75,
  'faults/deadly-work/processes-3.test.ts': 60,
  'replays/messages.test.ts': 65,
  'dispatch/adaptive-limit.test.ts': 60,
  'faults/killed-sibling.test.ts': 60,
  'process/several-processes.test.ts': 55,
  'faults/killed-processes/bursts-from-1.test.ts': 50,
  'process/start.test.ts': 45,
  'deliveries/deliver-anyhow.test.ts': 45,
  'messages/erasure.test.ts': 45,
  'dispatch/hanging-subscriptions.test.ts': 40,
  'readiness/waiting-roles.test.ts': 40,
  'deliveries/loop-mark.test.ts': 35,
  'deliveries/deliver-message.test.ts': 35,
  'automations/many-runs.test.ts': 75,
  'faults/killed-runs.test.ts': 60,
  'dispatch/fan-out-connections.test.ts': 50,
  'dispatch/drain.test.ts': 45,
  'faults/start.test.ts': 40,
  'faults/killed-publishers.test.ts': 40,
  'dispatch/suspended-app/never-drained.test.ts': 40,
  'dispatch/own-workflow.test.ts': 35,
  'faults/retention.test.ts': 35,
  'deliveries/faults-of-ours.test.ts': 35,
  'process/several-roles.test.ts': 35,
  'automations/wait-races.test.ts': 35,
  'docs/demo.test.ts': 30,
  'observe/metrics.test.ts': 30,
  'faults/killed-turns.test.ts': 30,
  'dispatch/circuit.test.ts': 30,
  'automations/fair-starts.test.ts': 45,
  'dispatch/forgotten-claims.test.ts': 35,
  'dispatch/suspended-app/by-default.test.ts': 30,
  'process/roles.test.ts': 30,
};
// Files that keep a processor busy for long. All others take a few seconds, and most of these of a processor.
const BUSY = {
  'workflows/histories.test.ts': 30,
  'local/temporal-store.test.ts': 30,
  'filters/filter-units.test.ts': 30,
  'openapi/examples.test.ts': 60,
  'dashboard/large-lists.test.ts': 40,
  'dashboard/every-page.test.ts': 120,
  'contract/endpoints.test.ts': 40,
  'automations/run-histories.test.ts': 45,
  'contract/lists.test.ts': 60,
  'contract/isolation-lists.test.ts': 60,
  'dashboard/pages.test.ts': 40,
  'dashboard/search.test.ts': 40,
  'dashboard/access-stories.test.ts': 40,
  'dashboard/keyboard.test.ts': 35,
  'dashboard/operators.test.ts': 30,
  'mutations/mutations.test.ts': 50,
  'contract/isolation.test.ts': 20,
  'dashboard/connecting.test.ts': 30,
  'dashboard/dead-letters.test.ts': 30,
  'dashboard/inspect.test.ts': 30,
  'dashboard/stories.test.ts': 30,
  'docs/api.test.ts': 30,
  'schemas/hostile-schemas.test.ts': 25,
  'automations/steps.test.ts': 25,
  'installation/commands.test.ts': 20,
  'filters/filter-properties.test.ts': 20,
  'schemas/schema-properties.test.ts': 20,
};
const SECONDS = { ...WAITING, ...BUSY };
const SECONDS_OF_OTHERS = 5;
// Waiting files stand before so much of the others. With all of them at the front the processors were idle for a sixth of the run.
const WAITING_PER_BUSY_SECOND = 3;
// A moved file would lose its place unnoticed.
for (const file of Object.keys(SECONDS))
  if (!existsSync(TESTS + file)) throw new Error(`longest-first.js names test/${file}, which is not there`);

const nameOf = ({ path }) => (path.startsWith(TESTS) ? path.slice(TESTS.length) : path);
const secondsOf = (test) => SECONDS[nameOf(test)] ?? SECONDS_OF_OTHERS;

/**
 * Orders test files: the longest first, all others as jest does (by the last run's times, else by size). Waiting files and busy ones
 * are mixed, so that at every time some workers wait while others keep the processors busy.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests).toSorted((one, other) => secondsOf(other) - secondsOf(one));
    const waiting = sorted.filter((test) => nameOf(test) in WAITING);
    const busy = sorted.filter((test) => !(nameOf(test) in WAITING));
    const mixed = [];
    let lead = 0;
    while (waiting.length + busy.length > 0) {
      const isWaitingNext = busy.length === 0 || (waiting.length > 0 && lead <= 0);
      const next = (isWaitingNext ? waiting : busy).shift();
      lead += isWaitingNext ? secondsOf(next) : -WAITING_PER_BUSY_SECOND * secondsOf(next);
      mixed.push(next);
    }
    return mixed;
  }
}
