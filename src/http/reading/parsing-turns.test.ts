import { expect, test } from '@jest/globals';
import { createParsingTurns } from './parsing-turns.ts';

test('costly bodies are read one at a time, and owners take turns', async () => {
  const turns = createParsingTurns();
  const read: string[] = [];
  let underWay = 0;
  const body = (owner: string, name: string): Promise<string> =>
    turns.take(owner, 1, async () => {
      underWay += 1;
      expect(underWay).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      read.push(name);
      return name;
    });
  const names = await Promise.all([
    body('a', 'a1'),
    body('a', 'a2'),
    body('a', 'a3'),
    body('b', 'b1'),
    body('b', 'b2'),
  ]);
  expect(names).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  expect(read).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('a body that is refused ends its turn, and the next one is read', async () => {
  const turns = createParsingTurns();
  const refused = turns.take('a', 1, async () => {
    throw new Error('refused');
  });
  const next = turns.take('a', 1, async () => 'read');
  await expect(refused).rejects.toThrow('refused');
  await expect(next).resolves.toBe('read');
});
