import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { currentRun } from '../support/service/run.ts';
import { EQUIVALENT } from './equivalent.ts';
import { allMutations, findMutations, type Mutation } from './find.ts';
import { runMutant } from './run-mutant.ts';
import { MATRIX, titleOf } from './tests-of.ts';
import { findUntried, readTried } from './tried.ts';

const all = allMutations();

test('conditions of every kind are found by their syntax, each with a name of its own', () => {
  expect(new Set(all.map(({ kind }) => kind))).toEqual(
    new Set(['sql', 'where', 'walk', 'comparison', 'cursor', 'key']),
  );
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(90);
});

test('a condition on which nothing depends is there, with a reason and with tests that hold it', () => {
  const ids = all.map(({ id }) => id);
  expect(Object.keys(EQUIVALENT).filter((id) => !ids.includes(id))).toEqual([]);
  for (const { because, heldBy } of Object.values(EQUIVALENT)) {
    expect(because.split(' ').length).toBeGreaterThan(5);
    expect(heldBy.length).toBeGreaterThan(0);
    expect(heldBy.filter(({ path, title }) => !readFileSync(path, 'utf8').includes(title))).toEqual([]);
  }
});

test('each condition was tried: `npm run mutations -- --record` tries those that were not', () => {
  expect(findUntried(all).map(({ id }) => id)).toEqual([]);
  const ids = new Set(all.map(({ id }) => id));
  expect([...readTried()].filter((id) => !ids.has(id))).toEqual([]);
  expect(Object.keys(EQUIVALENT).filter((id) => readTried().has(id))).toEqual([]);
});

test.each([
  ['where: { id, environmentId }', 'where: { id, ...{} }'],
  ['where: { AND: [{ organisationId: caller.organisationId }] }', 'where: { AND: [{ ...{} }] }'],
  ['where: { ...(isNarrow && { appId }) }', 'where: { ...(isNarrow && { ...{} }) }'],
  [
    'x: `SELECT FROM a WHERE a.environment_id = $1 AND id = $2`',
    'x: `SELECT FROM a WHERE $1::text IS NOT NULL AND id = $2`',
  ],
  ['x: `… JOIN b ON b.environment_id = a.environment_id`', 'x: `… JOIN b ON a.environment_id IS NOT NULL`'],
  ['x: row.environmentId === id ? 1 : 2', 'x: true ? 1 : 2'],
  ['x: `${environmentId} ${id}`', "x: `${''} ${id}`"],
])('takes the condition out of %s, and no more', (before, after) => {
  const source = `// ü: two bytes\nexport const f = (a) => ({ ${before} });\n`;
  const found = findMutations('x', source);
  expect(found).toHaveLength(1);
  const [{ start, end, replacement }] = found as [Mutation];
  const bytes = Buffer.from(source);
  const mutated = `${bytes.subarray(0, start).toString()}${replacement}${bytes.subarray(end).toString()}`;
  expect(mutated).toBe(`// ü: two bytes\nexport const f = (a) => ({ ${after} });\n`);
});

test.each([
  'data: { id, environmentId }',
  'where: { organisationId_userId: { organisationId, userId } }',
  'x: appId !== undefined',
])('leaves %s as it is', (code) => {
  expect(findMutations('x', `export const f = (a) => ({ ${code} });\n`)).toEqual([]);
});

// The rest is `npm run mutations`. Three of them show that a missing condition turns the matrix red.
test.each([
  [
    'src/messaging/channels/store.ts findChannel.row: where environmentId',
    'isolation.test.ts',
    'refuses every wrong caller',
  ],
  [
    'src/messaging/streams/store.ts START: sql c.environment_id = $2',
    'isolation.test.ts',
    'refuses every wrong caller',
  ],
  [
    'src/messaging/subscriptions/store.ts findSubscriptions.rows: where environmentId',
    'isolation-lists.whole.test.ts',
    'nothing of any neighbour',
  ],
])('the matrix fails without %s', async (id, file, killer) => {
  const mutation = all.find((each) => each.id === id);
  if (mutation === undefined) throw new Error(`${id} is gone: name another condition here`);
  const title = titleOf(mutation.path) ?? '';
  const files = MATRIX.filter((path) => path.endsWith(`/${file}`));
  const { failed } = await runMutant([mutation], { files, title, servers: currentRun() });
  expect(failed.filter(({ title: name }) => name.includes(killer))).not.toEqual([]);
});
