import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { ACTIONS, STEP_TYPES } from '../../src/contract/run-outline.ts';
import { historyFromJson } from '../support/check/history-json.ts';
import type { RecordedHistory } from '../support/make/history-of.ts';
import { isToBeKept } from '../support/make/record-histories.ts';
import { FULL_AFTER, recordFull, recordRuns, RUN_RECORDINGS, SECRET_WORD } from '../support/make/run-recordings.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { makeDataFolder, startOwnTemporal } from '../support/service/own-servers.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const fileOf = (name: string): string => join(import.meta.dirname, 'run-histories', `${name}.json`);
const textOf = (name: string): string => readFileSync(fileOf(name), 'utf8');
// `as`: this file writes them.
/** With the payloads of Temporal as what they hold. */
const decoded = (text: string): string =>
  text.replaceAll(/"data": "([\w+/=]*)"/g, (_, data: string) => Buffer.from(data, 'base64').toString());
const keptOf = (name: string): RecordedHistory => JSON.parse(textOf(name)) as RecordedHistory;

async function recordOnSmallServer(): Promise<Record<string, RecordedHistory>> {
  const temporal = await startOwnTemporal(makeDataFolder(), { dynamicValues: [FULL_AFTER] });
  try {
    const small = await startPosthorn({ temporalAddress: temporal.address });
    const recorded = await recordFull(small);
    await small.stop();
    return recorded;
  } finally {
    await temporal.stop();
  }
}

/** Recorded by the code that let chains go on at once where their steps ended together, as runs were that were under way at its end. */
const FROM_BEFORE = ['loops-before-turns', 'branches-before-turns'];

let posthorn: TestPosthorn;
let failures: Record<string, unknown>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  const workflowBundle = { codePath: BUILT.workflows };
  const fresh = { ...(await recordRuns(posthorn)), ...(await recordOnSmallServer()) };
  if (isToBeKept)
    for (const [name, recorded] of Object.entries(fresh))
      writeFileSync(fileOf(name), `${JSON.stringify(recorded, undefined, 1)}\n`);
  const all = [
    ...[...RUN_RECORDINGS, ...FROM_BEFORE].map((name) => ({
      workflowId: `${name} as kept`,
      history: historyFromJson(keptOf(name).history),
    })),
    ...RUN_RECORDINGS.map((name) => ({
      workflowId: `${name} as it goes now`,
      history: historyFromJson(fresh[name]?.history),
    })),
  ];
  failures = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, all))
    failures[workflowId] = error;
}, 400_000);
afterAll(() => posthorn.stop());

test.each(RUN_RECORDINGS)('%s goes on under the workflows of today, as it was kept and as it goes now', (name) => {
  expect(failures).toMatchObject({ [`${name} as kept`]: undefined, [`${name} as it goes now`]: undefined });
  expect(Object.keys(failures)).toEqual(expect.arrayContaining([`${name} as kept`, `${name} as it goes now`]));
});

// The code that made them could not replay them: it gave other numbers to their commands. So `patched()`, with that code behind it for runs
// from before, would have them stand still.
test.each(FROM_BEFORE)('%s goes on under the workflows of today', (name) => {
  expect(Object.keys(failures)).toContain(`${name} as kept`);
  expect(failures[`${name} as kept`]).toBeUndefined();
});

test('every kind of step, of action, of wait and of end of a round is in a kept history', () => {
  const kept = RUN_RECORDINGS.map((name) => decoded(textOf(name))).join('\n');
  const kinds = STEP_TYPES.filter((type) => type !== 'action').map((type) => `"type":"${type}"`);
  const actions = ACTIONS.map((action) => `"type":"action","action":"${action}"`);
  const modes = ['all', 'race'].map((mode) => `"mode":"${mode}"`);
  const ends = [
    ...['completed', 'paused'].map((result) => `"result":"${result}"`),
    ...['FAILED', 'CANCELED', 'CONTINUED_AS_NEW'].map((end) => `EVENT_TYPE_WORKFLOW_EXECUTION_${end}`),
  ];
  for (const part of [...kinds, ...actions, ...modes, ...ends])
    expect([part, kept.includes(part)]).toEqual([part, true]);
  const [full, after] = ['full-in-a-loop', 'goes-on-after-a-full-one'].map(textOf);
  expect(full).toContain('"EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW"');
  expect(after).toContain('"continuedExecutionRunId"');
  expect(textOf('begun-by-a-schedule')).toContain('"name": "runScheduled"');
});

test('no payload of a run has entered Temporal, and the kept histories name no machine', () => {
  for (const name of [...RUN_RECORDINGS, ...FROM_BEFORE]) {
    const text = textOf(name);
    for (const word of [`@${hostname()}`, process.cwd(), '/node_modules/', SECRET_WORD])
      expect([name, word, decoded(text).includes(word)]).toEqual([name, word, false]);
  }
});
