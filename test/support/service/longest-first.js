import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const TESTS = fileURLToPath(new URL('../../', import.meta.url));

// Files that take 40 s and more, and how long each takes beside three others. One that begins last would keep the other workers waiting.
const SECONDS = {
  'dashboard/every-page.whole.test.ts': 165,
  'http/hold-up.whole.test.ts': 160,
  'faults/killed-processes/never-drained.whole.test.ts': 115,
  'faults/deadly-work/processes-1.whole.test.ts': 115,
  'faults/killed-processes/bursts-from-100.whole.test.ts': 110,
  'contract/isolation.test.ts': 110,
  'faults/restarted-postgres.whole.test.ts': 110,
  'contract/regular-expressions.whole.test.ts': 105,
  'dashboard/dead-letters.whole.test.ts': 105,
  'faults/deadly-work/processes-3.whole.test.ts': 95,
  'faults/endless-loops/processes-1.whole.test.ts': 90,
  'credentials/encryption-key-roles.whole.test.ts': 90,
  'replays/messages.test.ts': 85,
  'dashboard/connecting.whole.test.ts': 80,
  'process/several-processes.whole.test.ts': 80,
  'dispatch/circuit-ends/never-drained.whole.test.ts': 80,
  'dashboard/lists.whole.test.ts': 80,
  'automations/many-runs.whole.test.ts': 80,
  'faults/killed-processes/bursts-from-1.whole.test.ts': 75,
  'contract/lists.whole.test.ts': 75,
  'process/launcher.test.ts': 75,
  'automations/run-limits.whole.test.ts': 70,
  'faults/lost-servers/bursts-from-100.test.ts': 65,
  'deliveries/loop-mark.whole.test.ts': 65,
  'dashboard/behaviour.whole.test.ts': 65,
  'dashboard/filters.whole.test.ts': 60,
  'dashboard/runs.whole.test.ts': 60,
  'dashboard/pages.whole.test.ts': 60,
  'faults/lost-servers/never-drained.whole.test.ts': 55,
  'dashboard/overview.whole.test.ts': 55,
  'contract/isolation-lists.whole.test.ts': 55,
  'dispatch/circuit.test.ts': 55,
  'faults/endless-loops/processes-3.whole.test.ts': 55,
  'deliveries/deliver-anyhow.whole.test.ts': 55,
  'automations/schedules.test.ts': 55,
  'deliveries/limits.whole.test.ts': 55,
  'dashboard/stories.test.ts': 55,
  'automations/fair-starts.whole.test.ts': 50,
  'faults/lost-servers/bursts-from-1.whole.test.ts': 50,
  'dispatch/adaptive-limit.whole.test.ts': 50,
  'dispatch/circuit-ends/always-drained.whole.test.ts': 50,
  'dispatch/claim.test.ts': 50,
  'automations/inbound-requests.test.ts': 50,
  'docs/guides.whole.test.ts': 50,
  'filters/filters.test.ts': 45,
  'dashboard/large-lists.whole.test.ts': 45,
  'messages/erasure.test.ts': 45,
  'dispatch/lost-claims.whole.test.ts': 45,
  'faults/killed-turns.whole.test.ts': 45,
  'dashboard/asks.whole.test.ts': 45,
  'readiness/waiting-roles.whole.test.ts': 45,
  'deliveries/awkward-deliveries.test.ts': 45,
  'scheduling/scheduled.test.ts': 45,
  'dashboard/subscription-form.whole.test.ts': 45,
  'dispatch/hanging-subscriptions.whole.test.ts': 45,
  'faults/deadly-messages/never-drained.whole.test.ts': 45,
  'dashboard/workflows.whole.test.ts': 90,
  'contract/isolation-shared.test.ts': 40,
  'dispatch/suspended-app/never-drained.whole.test.ts': 40,
  'faults/killed-runs.whole.test.ts': 40,
  'filters/filter-units.whole.test.ts': 40,
  'dashboard/members.whole.test.ts': 40,
  'dashboard/failing-receiver.whole.test.ts': 40,
  'dashboard/found-choices.whole.test.ts': 40,
  'faults/deadly-messages/always-drained.whole.test.ts': 40,
  'contract/sent-fields.whole.test.ts': 40,
  'identity/single-sign-on.test.ts': 40,
  'dashboard/send-to.whole.test.ts': 40,
};
const SECONDS_OF_OTHERS = 20;
// A moved file would lose its place unnoticed.
for (const file of Object.keys(SECONDS))
  if (!existsSync(TESTS + file)) throw new Error(`longest-first.js names test/${file}, which is not there`);

const secondsOf = ({ path }) => SECONDS[path.replace(TESTS, '')] ?? SECONDS_OF_OTHERS;

/** Orders test files: the longest first, all others as jest does (by the last run's times, else by size). */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}
