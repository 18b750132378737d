import { expect, test } from '@jest/globals';
import { Posthorn } from '../src/posthorn.ts';
import { scriptFetch } from './scripted-fetch.ts';

/** An answer that comes in these texts, and is cut behind them unless it ends well. */
const answer = (texts: string[], isWhole: boolean) => () => {
  const encoder = new TextEncoder();
  const left = [...texts];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const text = left.shift();
      if (text !== undefined) controller.enqueue(encoder.encode(text));
      else if (isWhole) controller.close();
      else controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
};

const exportOf = (script: ReturnType<typeof scriptFetch>) =>
  new Posthorn({ baseUrl: 'http://localhost', fetch: script.fetch }).audit.export();

test('lines are read wherever the answer is cut into texts, each time anew', async () => {
  const lines = exportOf(scriptFetch(answer(['{"position"', ':1}\n{"position":2}\n{"po', 'sition":3}\n'], true)));
  const positions: number[] = [];
  for await (const { position } of lines) positions.push(position);
  const texts: string[] = [];
  for await (const text of lines.texts()) texts.push(text);
  expect(positions).toEqual([1, 2, 3]);
  expect(texts).toEqual(['{"position":1}', '{"position":2}', '{"position":3}']);
});

test('a connection that is cut is an error behind the lines that came whole', async () => {
  const positions: number[] = [];
  const reading = (async () => {
    const lines = exportOf(scriptFetch(answer(['{"position":1}\n{"posi'], false)));
    for await (const { position } of lines) positions.push(position);
  })();
  await expect(reading).rejects.toMatchObject({ name: 'ConnectionError' });
  expect(positions).toEqual([1]);
});
