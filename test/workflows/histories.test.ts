import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { BUILT } from '../support/service/ensure-built.ts';
import { historyFromJson } from '../support/check/history-json.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { RecordedHistory } from '../support/make/history-of.ts';
import {
  HISTORIES_FOLDER,
  isToBeKept,
  keepHistory,
  recordHistories,
  RECORDINGS,
} from '../support/make/record-histories.ts';

type Bundle = { code: string } | { codePath: string };

let posthorn: TestPosthorn;
let fresh: Record<string, RecordedHistory>;
/** Failures under the workflows of today. */
let ofKept: Record<string, unknown>;
let ofFresh: Record<string, unknown>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  // Bundling anew takes about a second, and gives the same.
  const bundle = { codePath: BUILT.workflows };
  fresh = await recordHistories(posthorn);
  if (isToBeKept) for (const [name, recorded] of Object.entries(fresh)) keepHistory(name, recorded);
  ofKept = await replay(bundle, kept());
  ofFresh = await replay(bundle, fresh);
}, 150_000);
afterAll(() => posthorn.stop());

const names = Object.keys(RECORDINGS);
const textOf = (name: string): string => readFileSync(join(HISTORIES_FOLDER, `${name}.json`), 'utf8');
const keptOf = (name: string): RecordedHistory => JSON.parse(textOf(name));
const kept = (): Record<string, RecordedHistory> => Object.fromEntries(names.map((name) => [name, keptOf(name)]));

/**
 * The failures of replaying them with these workflows, by name; undefined where every command is the one of the history. All at a time:
 * each call starts a worker, which takes a third of a second of a processor.
 */
async function replay(
  workflowBundle: Bundle,
  histories: Readonly<Record<string, RecordedHistory>>,
): Promise<Record<string, unknown>> {
  const recorded = Object.entries(histories).map(([name, { history }]) => ({
    workflowId: name,
    history: historyFromJson(history),
  }));
  const errors: Record<string, unknown> = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, recorded))
    errors[workflowId] = error;
  return errors;
}

const eventTypesOf = ({ history }: RecordedHistory): string[] => {
  // `as`: historyToJson writes protobuf's JSON form.
  const { events } = history as { events: { eventType: string }[] };
  return events.map(({ eventType }) => eventType.replace('EVENT_TYPE_', ''));
};

test('there is one recorded history of every path through a Temporal workflow', () => {
  expect(readdirSync(HISTORIES_FOLDER).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted());
});

test.each([
  ['delivered-at-first-try', ['MARKER_RECORDED', 'WORKFLOW_EXECUTION_COMPLETED'], ['ACTIVITY_TASK_SCHEDULED']],
  ['delivered-after-two-retries', ['ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['waiting-for-a-retry', ['ACTIVITY_TASK_SCHEDULED'], ['ACTIVITY_TASK_STARTED', 'WORKFLOW_EXECUTION_COMPLETED']],
  ['dead-letter-after-the-policy', ['ACTIVITY_TASK_FAILED', 'WORKFLOW_EXECUTION_FAILED'], []],
  ['dead-letter-at-first-try', ['MARKER_RECORDED', 'WORKFLOW_EXECUTION_FAILED'], ['ACTIVITY_TASK_SCHEDULED']],
  ['held-while-paused', ['ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['resumed-in-the-next-round', ['MARKER_RECORDED', 'WORKFLOW_EXECUTION_COMPLETED'], ['ACTIVITY_TASK_SCHEDULED']],
  ['cancelled-in-temporal', ['WORKFLOW_EXECUTION_CANCEL_REQUESTED', 'WORKFLOW_EXECUTION_CANCELED'], []],
  [
    'cancelled-in-a-try',
    ['WORKFLOW_EXECUTION_CANCEL_REQUESTED', 'ACTIVITY_TASK_FAILED', 'WORKFLOW_EXECUTION_CANCELED'],
    [],
  ],
  ['worker-died-in-a-try', ['ACTIVITY_TASK_TIMED_OUT', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['first-task-came-late', ['MARKER_RECORDED', 'ACTIVITY_TASK_SCHEDULED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['bulk-replay', ['ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['message-replay', ['ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['reconciler', ['ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
  ['retention', ['ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'], []],
])('%s has taken the path of its name, when it was recorded and now', (name, present, absent) => {
  for (const recorded of [keptOf(name), fresh[name]]) {
    const eventTypes = eventTypesOf(recorded ?? { workflowId: name, history: { events: [] } });
    expect(eventTypes).toEqual(expect.arrayContaining(present));
    expect(eventTypes.filter((eventType) => absent.includes(eventType))).toEqual([]);
  }
});

test.each(names)('%s continues with the current workflows, as stored and as recorded now', (name) => {
  expect([Object.keys(ofKept), Object.keys(ofFresh)]).toEqual([names, names].map((all) => expect.arrayContaining(all)));
  expect([ofKept[name], ofFresh[name]]).toEqual([undefined, undefined]);
});

test('workflows with an additional command, or without the type, fail the replay of every history that they concern', async () => {
  const workflowsPath = fileURLToPath(new URL('../support/make/changed-workflows.ts', import.meta.url));
  const changed = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const outcomes = await replay(changed, kept());
  const { 'bulk-replay': bulkReplay, 'message-replay': messageReplay, reconciler, retention, ...deliveries } = outcomes;
  expect(Object.keys(deliveries)).toHaveLength(names.length - 4);
  for (const [name, error] of Object.entries(deliveries))
    expect([name, error]).toEqual([name, expect.any(DeterminismViolationError)]);
  expect([bulkReplay, messageReplay]).toEqual([undefined, undefined]);
  expect(reconciler).toBeInstanceOf(Error);
  expect(retention).toBeInstanceOf(Error);
});

test('the recorded histories name neither machines nor paths, and contain no payload', () => {
  for (const name of names) {
    const text = textOf(name);
    const decoded = text.replaceAll(/"data": "([\w+/=]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const word of [`@${hostname()}`, process.cwd(), '/node_modules/', 'whsec_', 'zebra']) {
      expect([name, word, decoded.includes(word)]).toEqual([name, word, false]);
    }
  }
});
