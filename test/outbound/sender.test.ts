import { afterEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSigningSecret, readSigningKey, signatureHeader } from '../../src/outbound/sign.ts';
import { createOutbound, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';

const { startReceiver, createSender, end } = createOutbound();
afterEach(end);

describe('the request', () => {
  test('is one HTTP/1.1 POST with the path, the query, the exact bytes and their length', async () => {
    const receiver = await startReceiver();
    const body = Buffer.from('{"é":"日本","n":12345678901234567890,"m":1.10}');
    const url = `${receiver.url}/a%20b?c=d&e#part`;
    expect(await createSender().post(webhookRequest(url, { body }))).toMatchObject({ isDelivered: true });
    const [head = '', sent = ''] = receiver.received[0]?.split('\r\n\r\n') ?? [];
    expect(head.split('\r\n').sort()).toEqual(
      [
        'POST /hook/a%20b?c=d&e HTTP/1.1',
        `host: 127.0.0.1:${receiver.port}`,
        'connection: keep-alive',
        'content-type: application/json',
        'user-agent: posthorn/1.2.3',
        'accept-encoding: identity',
        `content-length: ${body.length}`,
      ].sort(),
    );
    expect(Buffer.from(sent, 'latin1').equals(body)).toBe(true);
  });

  test('verifies with an independent library', async () => {
    const receiver = await startReceiver();
    const secret = newSigningSecret();
    const body = Buffer.from('{"data":{"é":1}}');
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': signatureHeader({ keys: [readSigningKey(secret)], id: 'msg_1', timestamp, body }),
    };
    await createSender().post(webhookRequest(receiver.url, { headers, body }));
    const [head = '', sent = ''] = Buffer.from(receiver.received[0] ?? '', 'latin1')
      .toString()
      .split('\r\n\r\n');
    const received = Object.fromEntries(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ')),
    );
    expect(() => new Webhook(secret).verify(sent, received)).not.toThrow();
  });

  test('may be an empty body or one of 1 MiB', async () => {
    const receiver = await startReceiver();
    const sender = createSender();
    await sender.post(webhookRequest(receiver.url, { body: Buffer.alloc(0) }));
    await sender.post(webhookRequest(receiver.url, { body: Buffer.alloc(1_048_576, 'x') }));
    expect(receiver.received.join('')).toContain('content-length: 0\r\n\r\n');
    expect(receiver.received.join('')).toContain(`content-length: 1048576\r\n\r\n${'x'.repeat(1_048_576)}`);
  });

  test('keeps its own headers whatever the caller gives', async () => {
    const receiver = await startReceiver();
    const headers = {
      Host: 'evil.example',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
      'User-Agent': 'other',
      'Accept-Encoding': 'gzip',
      Expect: '100-continue',
      'x-kept': 'yes',
    };
    expect(await createSender().post(webhookRequest(receiver.url, { headers }))).toMatchObject({ isDelivered: true });
    expect(receiver.received[0]).toContain('x-kept: yes\r\n');
    expect(receiver.received[0]).not.toMatch(
      /evil|chunked|other|gzip|100-continue|connection: close|content-length: 1\r/i,
    );
  });

  test.each<[string, Record<string, string>]>([
    ['a line break', { 'x-a': 'b\r\nx-c: d' }],
    ['NUL', { 'x-a': 'b\0' }],
    ['a name that is none', { 'x a': 'b' }],
  ])('never holds %s in a header: such a request fails and nothing is sent', async (_what, headers) => {
    const receiver = await startReceiver();
    expect(await createSender().post(webhookRequest(receiver.url, { headers }))).toMatchObject({
      isDelivered: false,
      error: { class: 'protocol' },
    });
    expect(receiver.received.join('')).toBe('');
  });
});

describe('the report', () => {
  test('is the answer with its times', async () => {
    const answer = 'HTTP/1.1 201 Made\r\nX-Id: 7\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 4\r\n\r\n';
    const receiver = await startReceiver(
      startRawReceiver({
        onRequest(socket) {
          setTimeout(() => socket.write(answer), 100);
          setTimeout(() => socket.write('done'), 250);
        },
      }),
    );
    const before = Date.now();
    const result = await createSender().post(webhookRequest(receiver.url));
    expect(result).toEqual({
      startedAt: expect.any(Date),
      durationMs: expect.any(Number),
      isDelivered: true,
      response: {
        status: 201,
        headers: { 'x-id': '7', 'set-cookie': 'a=1, b=2', 'content-length': '4' },
        body: 'done',
        latencyMs: expect.any(Number),
      },
      answeredAfterMs: expect.any(Number),
    });
    expect(Math.abs(result.startedAt.getTime() - before)).toBeLessThan(1_000);
    const latencyMs = result.response?.latencyMs ?? 0;
    expect(latencyMs).toBeGreaterThanOrEqual(95);
    expect(latencyMs).toBeLessThan(result.durationMs);
    // Without the time that opening the connection took; latencyMs is a whole number.
    expect(result.answeredAfterMs).toBeGreaterThanOrEqual(95);
    expect(result.answeredAfterMs).toBeLessThanOrEqual(latencyMs + 1);
    expect(result.durationMs).toBeGreaterThanOrEqual(245);
    expect(Number.isInteger(latencyMs) && Number.isInteger(result.durationMs)).toBe(true);
  });

  // Old: minus infinity for a body that breaks off. The adaptive limit learned nothing any more, and no limit was told.
  test.each(['connection: close\r\ncontent-length: 4', 'connection: close', 'content-length: 9'])(
    'has the time of the answer also where the receiver closes the connection behind it, or within it: %j',
    async (headers) => {
      const receiver = await startReceiver(
        startRawReceiver({
          onRequest: (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\ndone`),
        }),
      );
      const { response, answeredAfterMs } = await createSender().post(webhookRequest(receiver.url));
      expect([response?.body, Number.isFinite(answeredAfterMs)]).toEqual(['done', true]);
      expect(answeredAfterMs).toBeGreaterThanOrEqual(0);
    },
  );

  test.each<[number, string | undefined, number | undefined]>([
    [429, '7', 7_000],
    [503, '0', 0],
    [503, undefined, undefined],
    [503, 'soon', undefined],
    [500, '7', undefined],
    [302, '7', undefined],
    [200, '7', undefined],
  ])('says a wait for a %d with Retry-After %p: %p ms', async (status, retryAfter, expected) => {
    const header = retryAfter === undefined ? '' : `retry-after: ${retryAfter}\r\n`;
    const receiver = await startReceiver(startAnswering(`HTTP/1.1 ${status} x\r\n${header}content-length: 0\r\n\r\n`));
    const result = await createSender().post(webhookRequest(receiver.url));
    expect(result.retryAfterMs).toBe(expected);
  });

  test('leaves out a 103 before the answer', async () => {
    const receiver = await startReceiver(startAnswering(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${OK_ANSWER}`));
    expect(await createSender().post(webhookRequest(receiver.url))).toMatchObject({
      isDelivered: true,
      response: { status: 200 },
    });
  });
});
