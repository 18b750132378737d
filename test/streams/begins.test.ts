import { expect, test } from '@jest/globals';
import { createStreams } from '../../src/streams/service.ts';
import { createChannel, publish } from '../support/make/factories.ts';
import { startPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';

// The old mechanism: channels of all open streams were asked for, and then every open stream without an answer was ended as one of a
// deleted channel, those too that had begun while the query ran.
test('a stream that begins while the others are looked through for deleted channels goes on', async () => {
  const posthorn = await startPosthorn({ withWorker: false });
  const stops: (() => void)[] = [];
  try {
    const { pool, log, db } = posthorn.deps;
    const [first, second] = [await createChannel(posthorn), await createChannel(posthorn)];
    let isAsked = false;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = Object.create(pool, {
      query: {
        // `as`: it passes on whatever it is given.
        value: async (...given: unknown[]) => {
          if (String(given[0]).includes('c.id = ANY')) {
            isAsked = true;
            await answered;
          }
          return (pool.query as (...all: unknown[]) => unknown)(...given);
        },
      },
    }) as typeof pool;
    const streams = createStreams({ pool: slow, log });
    const environment = await db.environment.findFirstOrThrow({ where: { kind: 'live' } });
    const caller = { environmentId: environment.id } as Parameters<typeof streams.open>[0];
    const ended: string[] = [];
    const texts = new Map<string, string>();
    const begin = async ({ id }: { id: string }): Promise<void> => {
      const feed = await streams.open(caller, id, {});
      const send = (text: string): void => void texts.set(id, text);
      feed.start({ send, isFull: () => false, end: () => void ended.push(id) });
      stops.push(() => feed.stop());
    };
    await begin(first);
    await waitFor('the look for deleted channels', () => isAsked);
    await begin(second);
    answer();
    const message = await publish(posthorn, second.id);
    await waitFor(
      'the second stream to go on or to end',
      () => ended.length > 0 || texts.get(second.id)?.includes(message.id) === true,
    );
    expect(ended).toEqual([]);
  } finally {
    // An open stream asks the database for as long as it is there.
    for (const stop of stops) stop();
    await posthorn.stop();
  }
});
