import { describe, expect, test } from '@jest/globals';
import { textsOf } from '../src/lines.ts';
import { createLimit } from '../src/limit.ts';
import { openedOf } from '../src/opened.ts';
import { Posthorn } from '../src/posthorn.ts';
import { scriptFetch } from './scripted-fetch.ts';

/** An answer whose body begins with this text, goes on for ever and never hears of a signal: such is a fetch that has forgotten its own. */
function deafAnswer(text: string, { status = 200, type = 'application/json' } = {}) {
  const cancelled: string[] = [];
  const make = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        cancel: () => void cancelled.push(text),
      }),
      { status, headers: { 'content-type': type } },
    );
  return { make, cancelled };
}

const clientOf = (step: Parameters<typeof scriptFetch>[0]) =>
  new Posthorn({ baseUrl: 'http://localhost', fetch: scriptFetch(step).fetch, retries: { max: 0 } });

describe('an answer whose fetch has forgotten its signal', () => {
  test.each([200, 500])('with the status %i ends in time, and its connection is let go', async (status) => {
    const { make, cancelled } = deafAnswer('{"da', { status });
    await expect(clientOf(make).channels.get('chn_1', { timeoutMs: 20 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(cancelled).toEqual(['{"da']);
  });

  test('ends with the signal, whose reason is thrown', async () => {
    const stopping = new AbortController();
    const { make, cancelled } = deafAnswer('{"da');
    const answer = () => {
      setImmediate(() => stopping.abort(new Error('enough')));
      return make();
    };
    await expect(clientOf(answer).channels.get('chn_1', { signal: stopping.signal })).rejects.toThrow('enough');
    expect(cancelled).toEqual(['{"da']);
  });

  test('ends the loop of a stream with the signal', async () => {
    const stopping = new AbortController();
    const { make, cancelled } = deafAnswer('id: 1\ndata: {"id":"msg_1"}\n\n', { type: 'text/event-stream' });
    const seen: string[] = [];
    for await (const { message } of clientOf(make).messages.stream('chn_1', {}, { signal: stopping.signal })) {
      seen.push(message.id);
      setImmediate(() => stopping.abort());
    }
    expect(seen).toEqual(['msg_1']);
    expect(cancelled).toHaveLength(1);
  });

  test('is given up where its stream falls silent', async () => {
    const { make, cancelled } = deafAnswer('id: 1\n\n');
    const texts: string[] = [];
    const read = async () => {
      for await (const text of textsOf(openedOf(make(), createLimit(Number.POSITIVE_INFINITY, undefined)), 20))
        texts.push(text);
    };
    await expect(read()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect([texts, cancelled]).toEqual([['id: 1\n\n'], ['id: 1\n\n']]);
  });

  test('that comes after its time is let go unread', async () => {
    const { make, cancelled } = deafAnswer('{"da');
    let answer: (response: Response) => void = () => undefined;
    const asked = clientOf(() => new Promise((resolve) => (answer = resolve))).channels.get('chn_1', { timeoutMs: 20 });
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
    answer(make());
    await new Promise((resolve) => setImmediate(resolve));
    expect(cancelled).toEqual(['{"da']);
  });
});

test('a character that comes in two pieces is one, and a fetch without streams is read as well', async () => {
  const bytes = new TextEncoder().encode('{"name":"ä"}');
  const pieces = [bytes.slice(0, 10), bytes.slice(10)];
  const inTwo = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      }),
    );
  const withoutStreams = () => Object.defineProperty(new Response(bytes), 'body', { value: undefined });
  expect(await clientOf(inTwo).channels.get('chn_1')).toEqual({ name: 'ä' });
  expect(await clientOf(withoutStreams).channels.get('chn_1')).toEqual({ name: 'ä' });
});

test('a fetch that throws at once is a connection that failed', async () => {
  const fault = () => {
    throw new TypeError('no');
  };
  const posthorn = new Posthorn({ baseUrl: 'http://localhost', fetch: fault, retries: { max: 0 } });
  await expect(posthorn.channels.get('chn_1')).rejects.toMatchObject({ name: 'ConnectionError' });
});
