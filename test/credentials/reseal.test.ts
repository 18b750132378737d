import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { describeEncryptionKeys, proveKeys } from '../../src/credentials/encryption-keys.ts';
import { createKeyRing } from '../../src/credentials/key-ring.ts';
import { resealAll } from '../../src/credentials/reseal.ts';
import { contextIn, SEALED_COLUMNS } from '../../src/db/sql/sealed-columns.ts';
import { insertSealed, sealedTexts } from '../support/make/sealed.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';

const keyOf = (kid: string) => ({ kid, key: randomBytes(32) });
const [old, older, fresh] = [keyOf('old'), keyOf('older'), keyOf('fresh')];
const ONE_OF_EACH = { secrets: 1, answers: 1, clients: 1, people: 1, webhooks: 1, texts: 1 };

const databases: TestDatabase[] = [];
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  databases.push(database);
});
afterAll(async () => {
  for (const each of databases) await each.drop();
});

/** Texts of every sealed column as the ring opens them, by their places. */
async function opened(ring: ReturnType<typeof createKeyRing>): Promise<string[]> {
  const texts = [];
  for (const column of SEALED_COLUMNS) {
    const { rows } = await database.pool.query<{ id: string; sealed: string }>(
      `SELECT ${column.id} AS id, ${column.column} AS sealed FROM ${column.table} ORDER BY 1`,
    );
    for (const { id, sealed } of rows)
      texts.push(`${column.table} ${id} ${ring.decrypt(sealed, contextIn(column, id))}`);
  }
  return texts;
}
const kidsOf = async (): Promise<string[]> =>
  (await sealedTexts(database.pool)).map(({ place, sealed }) => `${place} ${sealed.split('.')[1]}`);
const counted = (resealed: number, unopened = 0) =>
  SEALED_COLUMNS.filter(({ table }) => table !== 'idempotency_keys').map(({ table }) => ({
    table,
    resealed,
    unopened,
  }));

test('seals by the first key what the others have sealed, and leaves answers that end in a day', async () => {
  await proveKeys(database.pool, [fresh, old, older]);
  await insertSealed(database.pool, createKeyRing([old]), ONE_OF_EACH);
  await insertSealed(database.pool, createKeyRing([older]), { ...ONE_OF_EACH, people: 0 });
  await insertSealed(database.pool, createKeyRing([fresh]), { secrets: 1, answers: 0 });
  const before = await opened(createKeyRing([fresh, old, older]));

  expect(await resealAll(database.pool, [fresh, old, older])).toEqual(
    counted(2).map((each) => (each.table === 'totp_factors' ? { ...each, resealed: 1 } : each)),
  );

  expect(await opened(createKeyRing([fresh, old, older]))).toEqual(before);
  await database.pool.query('DELETE FROM idempotency_keys');
  expect(new Set((await kidsOf()).map((text) => text.split(' ')[1]))).toEqual(new Set(['fresh']));
  // The old keys may be taken away.
  await proveKeys(database.pool, [fresh]);
  expect(await resealAll(database.pool, [fresh, old, older])).toEqual(counted(0));
});

test('more rows than are read at a time are all sealed anew', async () => {
  await insertSealed(database.pool, createKeyRing([old]), { secrets: 1_003, answers: 0 });
  const done = await resealAll(database.pool, [fresh, old]);
  expect(done[0]).toEqual({ table: 'subscription_secrets', resealed: 1_003, unopened: 0 });
  const keys = await describeEncryptionKeys(database.pool, [fresh, old]);
  expect(keys.map(({ id, sealed }) => [id, sealed['subscription_secrets']])).toEqual([
    ['fresh', 1_003],
    ['old', 0],
  ]);
});

test('a row that does not open is left and told of, and the others are sealed anew', async () => {
  await insertSealed(database.pool, createKeyRing([old]), { secrets: 3, answers: 0 });
  await database.pool.query(
    `UPDATE subscription_secrets SET ciphertext = overlay(ciphertext PLACING 'AAAAAAAA' FROM 32)
     WHERE id = (SELECT min(id) FROM subscription_secrets)`,
  );
  expect((await resealAll(database.pool, [fresh, old]))[0]).toMatchObject({ resealed: 2, unopened: 1 });
});

test('a secret that the service writes meanwhile stays as it was written', async () => {
  await insertSealed(database.pool, createKeyRing([old]), { secrets: 1, answers: 0 });
  const written = `v1.old.${'B'.repeat(16)}.${'C'.repeat(40)}`;
  await holding(database.pool, ['UPDATE subscription_secrets SET ciphertext = $1', written], async (release) => {
    const resealing = resealAll(database.pool, [fresh, old]);
    await untilStuck(database.pool, 1, resealing);
    await release();
    expect((await resealing)[0]).toMatchObject({ resealed: 0, unopened: 0 });
  });
  expect((await sealedTexts(database.pool)).map(({ sealed }) => sealed)).toEqual([written]);
});

test('keys that are not those of the database seal nothing', async () => {
  await proveKeys(database.pool, [old]);
  await insertSealed(database.pool, createKeyRing([old]), ONE_OF_EACH);
  const before = await sealedTexts(database.pool);
  await expect(resealAll(database.pool, [fresh, keyOf('old')])).rejects.toThrow('has other bytes');
  await expect(resealAll(database.pool, [fresh])).rejects.toThrow('The encryption key old is missing');
  expect(await sealedTexts(database.pool)).toEqual(before);
});

test('the command prints what it has done, and fails where a row does not open', async () => {
  await insertSealed(database.pool, createKeyRing([old]), { secrets: 2, answers: 0 });
  const settings = [fresh, old].map(({ kid, key }) => `${kid}:${key.toString('base64')}`).join(',');
  const run = () =>
    runPosthorn(['encryption-keys', 'reseal'], { DATABASE_URL: database.url, ENCRYPTION_KEYS: settings });
  const done = await run();
  expect([done.exitCode, done.errors]).toEqual([0, '']);
  expect(done.output).toMatch(
    /^subscription_secrets: 2 sealed anew\nmachine_credential_secrets: 0 sealed anew\n[^]*\nThe encryption key fresh has sealed them\n$/,
  );
  await database.pool.query(`UPDATE subscription_secrets SET ciphertext = 'v1.old.' || substr(ciphertext, 10)`);
  const failed = await run();
  expect([failed.exitCode, failed.output]).toEqual([
    1,
    expect.stringContaining('subscription_secrets: 2 that no key opens, left as they are'),
  ]);
});
