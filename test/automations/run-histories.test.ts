import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import { historyFromJson } from '../support/check/history-json.ts';
import type { RecordedHistory } from '../support/make/history-of.ts';
import { isToBeKept } from '../support/make/record-histories.ts';
import { recordRuns, RUN_RECORDINGS, SECRET_WORD } from '../support/make/run-recordings.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const fileOf = (name: string): string => join(import.meta.dirname, 'run-histories', `${name}.json`);
const textOf = (name: string): string => readFileSync(fileOf(name), 'utf8');
// `as`: this file writes them.
const keptOf = (name: string): RecordedHistory => JSON.parse(textOf(name)) as RecordedHistory;

let posthorn: TestPosthorn;
let failures: Record<string, unknown>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  const workflowBundle = await bundleWorkflows();
  const fresh = await recordRuns(posthorn);
  if (isToBeKept)
    for (const [name, recorded] of Object.entries(fresh))
      writeFileSync(fileOf(name), `${JSON.stringify(recorded, undefined, 1)}\n`);
  const all = RUN_RECORDINGS.flatMap((name) => [
    { workflowId: `${name} as kept`, history: historyFromJson(keptOf(name).history) },
    { workflowId: `${name} as it goes now`, history: historyFromJson(fresh[name]?.history) },
  ]);
  failures = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, all))
    failures[workflowId] = error;
}, 150_000);
afterAll(() => posthorn.stop());

test.each(RUN_RECORDINGS)('%s goes on under the workflows of today, as it was kept and as it goes now', (name) => {
  expect(failures).toMatchObject({ [`${name} as kept`]: undefined, [`${name} as it goes now`]: undefined });
  expect(Object.keys(failures)).toEqual(expect.arrayContaining([`${name} as kept`, `${name} as it goes now`]));
});

test('no payload of a run has entered Temporal, and the kept histories name no machine', () => {
  for (const name of RUN_RECORDINGS) {
    const text = textOf(name);
    const decoded = text.replaceAll(/"data": "([\w+/=]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const word of [`@${hostname()}`, process.cwd(), '/node_modules/', SECRET_WORD])
      expect([name, word, decoded.includes(word)]).toEqual([name, word, false]);
  }
});
