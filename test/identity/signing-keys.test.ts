import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createKeyRing } from '../../src/credentials/key-ring.ts';
import { createSigningKeys, type SigningKeys } from '../../src/identity/tokens/signing-keys.ts';
import { createLog } from '../../src/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const keyRing = createKeyRing([{ kid: 'test', key: randomBytes(32) }]);
let database: TestDatabase;
let now = 0;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('DELETE FROM token_signing_keys');
  now = Date.parse('2026-01-31T12:00:00Z');
});

const process = (ring = keyRing): SigningKeys =>
  createSigningKeys({ db: database.db, clock: () => new Date(now), keyRing: ring, log: createLog('silent') });
const namesOf = async (keys: SigningKeys): Promise<(string | undefined)[]> =>
  (await keys.shown()).map(({ kid }) => kid);
const signerOf = async (keys: SigningKeys): Promise<string> => (await keys.signer()).kid;

test('processes that begin at once agree on one key', async () => {
  const names = await Promise.all(Array.from({ length: 5 }, () => signerOf(process())));
  expect(new Set(names).size).toBe(1);
  expect(await namesOf(process())).toEqual([names[0]]);
});

test('a key is shown an hour before it signs and while its tokens live; nobody is without one meanwhile', async () => {
  const [one, other] = [process(), process()];
  const first = await signerOf(one);
  now += 30 * DAY - 61 * MINUTE;
  expect(await namesOf(one)).toEqual([first]);
  now += MINUTE;
  const [, second] = await namesOf(other);
  expect(await namesOf(one)).toEqual([first, second]);
  expect([await signerOf(one), await signerOf(other)]).toEqual([first, first]);
  now += 60 * MINUTE - 1;
  expect(await signerOf(one)).toBe(first);
  now += 1;
  expect([await signerOf(one), await signerOf(other)]).toEqual([second, second]);
  expect(await one.verifier(first)).toBeDefined();
  now += 25 * MINUTE;
  expect(await namesOf(one)).toEqual([first, second]);
  now += 2 * MINUTE;
  // Looked at twice: a process that has removed nothing itself sees it at its next look.
  await namesOf(other);
  now += MINUTE;
  expect([await namesOf(one), await namesOf(other)]).toEqual([[second], [second]]);
  expect(await one.verifier(first)).toBeUndefined();
});

test('after a long silence the next key is made, and shown for an hour before it signs', async () => {
  const keys = process();
  const first = await signerOf(keys);
  now += 90 * DAY;
  expect(await signerOf(keys)).toBe(first);
  const [, second] = await namesOf(keys);
  now += 60 * MINUTE;
  expect(await signerOf(keys)).toBe(second);
});

test('a process takes tokens of a key that another one has just made', async () => {
  const keys = process();
  expect(await keys.verifier('nobody')).toBeUndefined();
  await database.pool.query('DELETE FROM token_signing_keys');
  now += 1_000;
  const made = await signerOf(process());
  expect(await keys.verifier(made)).toBeDefined();
});

test('a key that no key of the ring opens is replaced at once, and its tokens are taken on', async () => {
  const lost = await signerOf(process());
  now += MINUTE;
  const keys = process(createKeyRing([{ kid: 'other', key: randomBytes(32) }]));
  const made = await signerOf(keys);
  expect(made).not.toBe(lost);
  expect(await namesOf(keys)).toEqual([lost, made]);
});
