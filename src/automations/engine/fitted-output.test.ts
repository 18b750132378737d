import { expect, test } from '@jest/globals';
import { cutOf, fittedOutput } from './fitted-output.ts';

const fitted = (output: unknown, room: number): Record<string, unknown> => {
  const text = fittedOutput(output, room);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(room, 1_024));
  // `as`: every output of these tests is an object.
  return JSON.parse(text) as Record<string, unknown>;
};

const answer = { status: 200, headers: { server: 'a receiver' }, latencyMs: 12 };

test('an output that fits stays as it is', () => {
  const output = { ...answer, body: { list: [1, 2, 3] } };
  expect(fitted(output, 1_000)).toEqual(output);
});

test('an output that does not fit keeps everything but its body, of which it has the beginning and the size', () => {
  const body = { list: Array.from({ length: 10_000 }, (_, index) => index) };
  const text = JSON.stringify(body);
  const { text: kept, ...rest } = fitted({ ...answer, body }, 20_000);
  expect(rest).toEqual({ ...answer, truncated: true, bytes: text.length });
  expect(text.startsWith(kept as string)).toBe(true);
  expect((kept as string).length).toBeGreaterThan(15_000);
  const long = fitted({ ...answer, body: 'x'.repeat(300_000) }, 262_144);
  expect(long['text']).toBe('x'.repeat(65_536));
});

test('headers that take all the space are dropped, but status and size stay even if a run has no space left', () => {
  const headers = { cookie: 'c'.repeat(5_000) };
  const body = 'b'.repeat(50_000);
  expect(fitted({ ...answer, headers, body }, 10_000)['headers']).toEqual(headers);
  for (const room of [3_000, 0, -5_000])
    expect(fitted({ ...answer, headers, body }, room)).toMatchObject({ status: 200, truncated: true, bytes: 50_000 });
  expect(fittedOutput({ messageId: 'msg_1' }, -5_000)).toBe('{"messageId":"msg_1"}');
});

test('a response that was already cut becomes shorter, and anything else is cut as JSON', () => {
  const cut = { ...answer, ...cutOf('é'.repeat(70_000), null) };
  expect(cut.text).toBe('é'.repeat(32_768));
  expect(fitted(cut, 2_000)).toMatchObject({ ...answer, truncated: true, bytes: null });
  expect(fitted(['x'.repeat(5_000)], 2_000)).toMatchObject({ truncated: true, bytes: 5_004 });
  expect(fitted({ mine: 'x'.repeat(5_000), body: 1 }, 2_000)).toMatchObject({ truncated: true, bytes: 5_020 });
});

test.each([
  ['characters of several bytes', '😀'.repeat(20_000)],
  ['characters that JSON writes by their number', '\u0001'.repeat(60_000)],
  ['quotes', '"'.repeat(60_000)],
])('%s are never cut in the middle, and stay within the room', (_, body) => {
  const { text } = fitted({ ...answer, body }, 30_000);
  expect(body.startsWith(text as string)).toBe(true);
  expect((text as string).length).toBeGreaterThan(1_000);
  expect(text).not.toContain('\uFFFD');
});
