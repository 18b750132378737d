import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAnsweringCounters, createAskingCounters, type CountBatch } from './shared-counters.ts';
import type { Counters } from './counters.ts';

type Asking = Counters & { messages: CountBatch[]; flush(): void; die(): void };

let asking: () => Asking;
beforeEach(() => {
  const answering = createAnsweringCounters();
  const all: Asking[] = [];
  asking = () => {
    const side = answering.connect(async () => all.forEach((each) => each.flush()));
    const messages: CountBatch[] = [];
    const counters = createAskingCounters((sent) => {
      messages.push(sent);
      void side.answer(sent.commands).then((answers) => counters.hear(sent.batch, answers));
    });
    const made = { ...counters, messages, die: side.end };
    all.push(made);
    return made;
  };
});

async function waitForLength(list: readonly unknown[], length: number): Promise<void> {
  while (list.length < length) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A command without an answer is carried out before the answer to one that comes behind it. */
const settled = (counters: Counters): Promise<unknown> => counters.add('any', 1);

describe('processes that share counters', () => {
  test('count in the same windows, and take back from them', async () => {
    const [one, other] = [asking(), asking()];
    expect((await one.add('minute', 60)).count).toBe(1);
    expect((await other.add('minute', 60)).count).toBe(2);
    const { count, millisecondsLeft } = await other.add('minute', 60);
    expect(count).toBe(3);
    expect(millisecondsLeft).toBeGreaterThan(50_000);
    expect(millisecondsLeft).toBeLessThanOrEqual(60_000);
    one.giveBack('minute', 60);
    await settled(one);
    expect((await other.add('minute', 60)).count).toBe(3);
  });

  test('share slots: a full name is full for both, and a released slot is free for the other', async () => {
    const [one, other] = [asking(), asking()];
    const leave = await one.enter('key', 2);
    expect(await other.enter('key', 2)).toBeDefined();
    expect(await other.enter('key', 2)).toBeUndefined();
    expect(await other.enter('another key', 2)).toBeDefined();
    leave?.();
    await settled(one);
    expect(await other.enter('key', 2)).toBeDefined();
    expect(await one.enter('key', 2)).toBeUndefined();
  });

  test('reject nobody because of a slot that another process has released but not reported yet', async () => {
    const [one, other] = [asking(), asking()];
    const leave = await one.enter('key', 1);
    leave?.();
    expect(one.messages).toHaveLength(1);
    expect(await other.enter('key', 1)).toBeDefined();
  });

  test('release all their slots when they die, including one that they were about to get', async () => {
    const [one, other] = [asking(), asking()];
    await one.enter('key', 2);
    const entering = one.enter('key', 2);
    await settled(other);
    one.die();
    void entering;
    expect(await other.enter('key', 2)).toBeDefined();
    expect(await other.enter('key', 2)).toBeDefined();
    expect(await other.enter('key', 2)).toBeUndefined();
  });

  test('ask once per turn of the event loop, and each caller gets its own reply', async () => {
    const counters = asking();
    const answers = await Promise.all([
      counters.add('minute', 60),
      counters.enter('key', 1),
      counters.add('second', 1),
      counters.enter('key', 1),
      counters.add('minute', 60),
    ]);
    expect(counters.messages).toHaveLength(1);
    expect(answers).toEqual([
      { count: 1, millisecondsLeft: expect.any(Number) },
      expect.any(Function),
      { count: 1, millisecondsLeft: expect.any(Number) },
      undefined,
      { count: 2, millisecondsLeft: expect.any(Number) },
    ]);
    await counters.add('minute', 60);
    expect(counters.messages).toHaveLength(2);
  });

  test('share the next message if they arrive while one is unanswered', async () => {
    const sent: CountBatch[] = [];
    const counters = createAskingCounters((batch) => void sent.push(batch));
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const first = counters.add('minute', 60);
    await turn();
    const later = [counters.add('minute', 60), counters.enter('key', 1)];
    expect(sent.map(({ commands }) => commands.length)).toEqual([1]);
    counters.hear(1, [[1, 60_000]]);
    await first;
    await turn();
    expect(sent.map(({ commands }) => commands.length)).toEqual([1, 2]);
    counters.hear(2, [[2, 60_000], true]);
    expect(await Promise.all(later)).toEqual([{ count: 2, millisecondsLeft: 60_000 }, expect.any(Function)]);
  });

  test('wait no longer for a delayed reply, and report a released slot without further questions', async () => {
    const sent: CountBatch[] = [];
    const counters = createAskingCounters((batch) => void sent.push(batch));
    const entering = counters.enter('key', 1);
    await waitForLength(sent, 1);
    const counting = counters.add('minute', 60);
    await waitForLength(sent, 2);
    counters.hear(2, [[1, 60_000]]);
    expect((await counting).count).toBe(1);
    counters.hear(1, [true]);
    (await entering)?.();
    await waitForLength(sent, 3);
    expect(sent[2]?.commands).toEqual([['leave', 1]]);
  });
});
