import { expect, test } from '@jest/globals';
import { createGrouping } from './group.ts';

/** A transaction that the test ends. */
function setUp(options: { inFlight?: number; maxWeight?: number } = {}) {
  const groups: { items: readonly string[]; end: (failure?: Error) => void }[] = [];
  const grouping = createGrouping<string, string>({
    inFlight: options.inFlight ?? 1,
    maxWeight: options.maxWeight ?? 100,
    weightOf: (item) => item.length,
    run: (items) =>
      new Promise((resolve, reject) => {
        groups.push({
          items,
          end: (failure) => (failure === undefined ? resolve(items.map((item) => `${item}!`)) : reject(failure)),
        });
      }),
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { grouping, groups, turn };
}

test('input of one turn of the event loop is one group; later input shares the next', async () => {
  const { grouping, groups, turn } = setUp();
  const first = Promise.all(['a', 'b'].map((item) => grouping.add(item)));
  await turn();
  expect(groups.map(({ items }) => items)).toEqual([['a', 'b']]);
  const second = Promise.all(['c', 'd'].map((item) => grouping.add(item)));
  await turn();
  expect(grouping.waiting()).toBe(2);
  groups[0]?.end();
  await turn();
  expect(groups.map(({ items }) => items)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  groups[1]?.end();
  expect([await first, await second].flat()).toEqual(['a!', 'b!', 'c!', 'd!']);
  expect(grouping.waiting()).toBe(0);
});

test('no more groups than allowed run at a time', async () => {
  const { grouping, groups, turn } = setUp({ inFlight: 2 });
  const answers: Promise<string>[] = [];
  for (const item of ['a', 'b', 'c']) {
    answers.push(grouping.add(item));
    await turn();
  }
  expect(groups.map(({ items }) => items)).toEqual([['a'], ['b']]);
  for (const { end } of groups) end();
  await Promise.all(answers.slice(0, 2));
  await turn();
  groups[2]?.end();
  expect(await answers[2]).toBe('c!');
});

test('a group is no heavier than allowed, and a heavier single item goes alone', async () => {
  const { grouping, groups, turn } = setUp({ maxWeight: 4 });
  const answers = Promise.all(['a', 'bb', 'bb', 'ccccccc', 'd'].map((item) => grouping.add(item)));
  for (let group = 0; group < 4; group += 1) {
    await turn();
    groups[group]?.end();
  }
  await answers;
  expect(groups.map(({ items }) => items)).toEqual([['a', 'bb'], ['bb'], ['ccccccc'], ['d']]);
});

test('a group that fails is repeated item by item, and only the bad item fails', async () => {
  const { grouping, groups, turn } = setUp();
  const first = grouping.add('a');
  await turn();
  const rest = ['b', 'poison', 'c'].map((item) => grouping.add(item));
  const outcomes = Promise.allSettled(rest);
  groups[0]?.end();
  await first;
  await turn();
  groups[1]?.end(new Error('poisoned'));
  for (let group = 2; group < 5; group += 1) {
    await turn();
    groups[group]?.end(groups[group]?.items[0] === 'poison' ? new Error('poisoned') : undefined);
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('if the connection is lost during the commit, nothing is repeated and every item fails', async () => {
  const { grouping, groups, turn } = setUp();
  const first = grouping.add('a');
  await turn();
  const outcomes = Promise.allSettled(['b', 'c'].map((item) => grouping.add(item)));
  groups[0]?.end();
  await first;
  await turn();
  groups[1]?.end(Object.assign(new Error('gone'), { code: '57P01' }));
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(groups).toHaveLength(2);
});

test('owners take turns while more waits than fits into one group, in their own order, and what does not fit lets others pass', async () => {
  const groups: string[][] = [];
  const grouping = createGrouping<string, string>({
    inFlight: 1,
    maxWeight: 100,
    weightOf: () => 1,
    also: { maxWeight: 4, weightOf: (item) => item.length },
    ownerOf: (item) => item.slice(0, 1),
    run: (items) => {
      groups.push([...items]);
      return Promise.resolve([...items]);
    },
  });
  await Promise.all(['a11', 'a22', 'a3', 'b', 'cccccc', 'a'].map((item) => grouping.add(item)));
  expect(groups).toEqual([['a11', 'b'], ['cccccc'], ['a22'], ['a3', 'a']]);
  expect(grouping.waiting()).toBe(0);
});
