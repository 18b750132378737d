import { historyToJson } from '../check/history-json.ts';
import { waitFor } from '../check/wait-for.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

/** A history as JSON, without anything specific to the machine that created it. */
export type RecordedHistory = { workflowId: string; history: unknown };

/** Returns the history of a Temporal workflow once it has closed, or as it is now. `runId`: an earlier run of its chain. */
export async function historyOf(
  posthorn: TestPosthorn,
  workflowId: string,
  end: 'closed' | 'open',
  runId?: string,
): Promise<RecordedHistory> {
  const handle = posthorn.temporal.workflow.getHandle(workflowId, runId);
  await waitFor(
    `${workflowId} ${end}`,
    async () => ((await handle.describe()).status.name === 'RUNNING') === (end === 'open'),
  );
  return { workflowId, history: withoutMachine(historyToJson(await handle.fetchHistory())) };
}

/** Names of processes and hosts, and stacks with their paths: replaying reads neither. */
function withoutMachine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachine);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      // "<process>@<host>": identities, and with a suffix the sticky queues of workers.
      typeof member === 'string' && /^\d+@/.test(member)
        ? 'worker'
        : key === 'stackTrace'
          ? ''
          : withoutMachine(member),
    ]),
  );
}

/** Returns the history of a closed Temporal workflow as text, with all payloads decoded so that tests can search it. */
export async function historyTextOf(posthorn: TestPosthorn, workflowId: string): Promise<string> {
  const text = JSON.stringify(await historyOf(posthorn, workflowId, 'closed'));
  return text.replaceAll(/"data":"([\w+/=]*)"/g, (_, data: string) => Buffer.from(data, 'base64').toString());
}
