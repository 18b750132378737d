import type { CreateWorkflow } from '../client/src/index.ts';
import type { Payload } from './payloads.ts';

const BEGINNINGS = ['issues.', 'pull_request.'];

/** A workflow: whatever happens to an issue or a pull request begins a run, and those that were opened are told to `url`. */
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

/** The runs that these payloads begin, and the requests that they make. */
export function automationOf(payloads: readonly Payload[]): { runs: number; requests: number } {
  const covered = payloads.filter(({ eventType }) => BEGINNINGS.some((beginning) => eventType.startsWith(beginning)));
  return {
    runs: covered.length,
    requests: covered.filter(({ eventType }) => BEGINNINGS.includes(eventType.replace(/opened$/, ''))).length,
  };
}
