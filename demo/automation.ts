import type { CreateWorkflow } from '../client/src/index.ts';
import type { Payload } from './payloads.ts';

const BEGINNINGS = ['issues.', 'pull_request.'];

/** A workflow: every event of an issue or a pull request starts a run, and opened ones are reported to `url`. */
export const workflowOf = (channelId: string, url: string): CreateWorkflow => ({
  name: 'Demo: opened issues and pull requests',
  status: 'active',
  trigger: { type: 'event', config: { channelId, eventTypes: BEGINNINGS.map((beginning) => `${beginning}*`) } },
  steps: [
    { id: 'opened', type: 'filter', config: { expression: "event.payload.action == 'opened'" }, next: 'tell' },
    {
      id: 'tell',
      type: 'action',
      config: {
        action: 'http',
        url,
        body: { repository: '{{ event.payload.repository.full_name }}', by: '{{ event.payload.sender.login }}' },
      },
    },
  ],
});

/** Returns the runs that these payloads start, and the requests that they send. */
export function automationOf(payloads: readonly Payload[]): { runs: number; requests: number } {
  const covered = payloads.filter(({ eventType }) => BEGINNINGS.some((beginning) => eventType.startsWith(beginning)));
  return {
    runs: covered.length,
    requests: covered.filter(({ eventType }) => BEGINNINGS.includes(eventType.replace(/opened$/, ''))).length,
  };
}
