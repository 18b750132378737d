import { randomBytes, webcrypto } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Payload } from '@temporalio/common';
import protocol from '@temporalio/proto';
import { type CodecKey, createCodec, keyIdOf } from './codec.ts';

const makeKey = (kid: string): CodecKey => ({ kid, key: randomBytes(32) });
const [first, second] = [makeKey('k1'), makeKey('k2')];
const payload = (text: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(text)),
});
const textsOf = (payloads: Payload[]): unknown[] =>
  payloads.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));

describe('a payload', () => {
  test('is restored with its metadata', async () => {
    const codec = createCodec([first]);
    const [back] = await codec.decode(await codec.encode([payload('zebra')]));
    expect(Buffer.from(back?.metadata?.['encoding'] ?? []).toString()).toBe('json/plain');
    expect(textsOf(back === undefined ? [] : [back])).toEqual(['zebra']);
  });

  test('reveals only the name of its key, and differs each time', async () => {
    const codec = createCodec([first, second]);
    const [once, again] = await codec.encode([payload('zebra'), payload('zebra')]);
    expect(once === undefined ? '' : keyIdOf(once)).toBe('k1');
    expect(Buffer.from(once?.data ?? []).includes('zebra')).toBe(false);
    expect(Buffer.from(once?.data ?? []).includes('json')).toBe(false);
    expect(once?.data).not.toEqual(again?.data);
  });

  test('encrypted with an earlier key is decrypted with that key, and one from before all keys is passed on', async () => {
    const old = await createCodec([first]).encode([payload('zebra')]);
    const rotated = createCodec([second, first]);
    expect(textsOf(await rotated.decode([...old, payload('heron')]))).toEqual(['zebra', 'heron']);
  });

  test('encrypted with a missing key is rejected with an explanation', async () => {
    const [encrypted = payload('')] = await createCodec([first]).encode([payload('zebra')]);
    await expect(createCodec([second]).decode([encrypted])).rejects.toThrow(
      'TEMPORAL_CODEC_KEYS lacks the key k1, which has encrypted this payload; add it after the first one',
    );
  });

  test.each(['another key of its name', 'a changed byte', 'no bytes'])('with %s is rejected', async (fault) => {
    const [encrypted = payload('')] = await createCodec([first]).encode([payload('zebra')]);
    const bytes = Buffer.from(encrypted.data ?? []);
    if (fault === 'a changed byte') bytes[20] = (bytes[20] ?? 0) ^ 1;
    const data = fault === 'no bytes' ? Buffer.alloc(0) : bytes;
    const codec = createCodec([fault === 'another key of its name' ? makeKey('k1') : first]);
    await expect(codec.decode([{ ...encrypted, data }])).rejects.toThrow(
      'TEMPORAL_CODEC_KEYS: the key k1 differs from the key of that name that has encrypted this payload',
    );
  });

  // By the description of the form alone, with another implementation of the cipher: codec servers in other languages do this.
  test('is a nonce of 12 bytes, the payload as protobuf under AES-256-GCM, and its tag', async () => {
    const [encrypted = payload('')] = await createCodec([first]).encode([payload('zebra')]);
    expect(Object.keys(encrypted.metadata ?? {})).toEqual(['encoding', 'encryption-key-id']);
    expect(Buffer.from(encrypted.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
    const data = Buffer.from(encrypted.data ?? []);
    const key = await webcrypto.subtle.importKey('raw', first.key, 'AES-GCM', false, ['decrypt']);
    const plain = await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv: data.subarray(0, 12) }, key, data.subarray(12));
    const decoded = protocol.temporal.api.common.v1.Payload.decode(new Uint8Array(plain));
    expect(textsOf([decoded])).toEqual(['zebra']);
  });
});

test('a codec requires a key', () => {
  expect(() => createCodec([])).toThrow('A codec needs a key');
});
