import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readEncryptionKeys } from '../../src/platform/config/config.ts';
import {
  abandonKey,
  describeEncryptionKeys,
  proveKeys,
  whatAbandonTakes,
  resealAll,
} from '../../src/platform/credentials/encryption-keys.ts';
import { createKeyRing } from '../../src/platform/credentials/key-ring.ts';
import { contextIn, SEALED_COLUMNS } from '../../src/platform/db/sql/sealed-columns.ts';
import { insertSealed, sealedTexts } from '../support/make/sealed.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';

describe('encryption keys', () => {
  const keyOf = (kid: string) => ({ kid, key: randomBytes(32) });
  const [k1, k2] = [keyOf('k1'), keyOf('k2')];

  const databases: TestDatabase[] = [];
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    databases.push(database);
  });
  afterAll(async () => {
    for (const each of databases) await each.drop();
  });

  const refusal = (...keys: { kid: string; key: Buffer }[]): Promise<string> =>
    proveKeys(database.pool, keys).then(
      () => 'proved',
      (error: unknown) => String(error),
    );
  const checkValues = async (): Promise<string[]> =>
    (await database.pool.query<{ id: string }>('SELECT id FROM encryption_keys ORDER BY id')).rows.map(({ id }) => id);

  describe('keys are proved', () => {
    // Regression: names alone were compared, so that a process with other bytes sealed and sent nothing that could be read.
    test('by a check value: the same name with other bytes is refused, with what the right key has sealed', async () => {
      expect(await refusal(k1)).toBe('proved');
      await insertSealed(database.pool, createKeyRing([k1]), { secrets: 3, answers: 1 });

      expect(await refusal(keyOf('k1'))).toBe(
        'EncryptionKeyError: The encryption key k1 differs from the key of that name that this database was encrypted with. ' +
          'That key has encrypted 1 row of idempotency_keys and 3 rows of subscription_secrets. Set that key in ENCRYPTION_KEYS, or give ' +
          'the new key another name and discard the rows of the lost one with `posthorn encryption-keys discard k1`.',
      );
      expect(await refusal(k1)).toBe('proved');
    });

    // Regression: only the secrets' table was looked at, so that kept answers could not be opened and were a 500 for a day.
    test('by the rows that need them: a missing key is refused whichever table it has sealed', async () => {
      await insertSealed(database.pool, createKeyRing([k1]), { secrets: 0, answers: 2 });

      expect(await refusal(k2)).toBe(
        'EncryptionKeyError: The encryption key k1 is missing. It has encrypted 2 rows of idempotency_keys. Add it to ENCRYPTION_KEYS, ' +
          'or discard these rows with `posthorn encryption-keys discard k1`.',
      );
      expect(await checkValues()).toEqual([]);
      expect(await refusal(k2, k1)).toBe('proved');
      expect(await checkValues()).toEqual(['k1', 'k2']);
    });

    test('and one that sealed nothing that is still needed may be missing', async () => {
      expect(await refusal(k2, k1)).toBe('proved');
      await insertSealed(database.pool, createKeyRing([k1]), { secrets: 1, answers: 1 });
      await database.pool.query(`UPDATE subscription_secrets SET expires_at = now() - interval '1 second'`);
      await database.pool.query(`UPDATE idempotency_keys SET expires_at = now() - interval '1 second'`);

      expect(await refusal(k2)).toBe('proved');
    });

    test('in a database older than check values by the rows themselves, of which a changed one speaks for nothing', async () => {
      await insertSealed(database.pool, createKeyRing([k1]), { secrets: 3, answers: 0 });
      await database.pool.query(
        `UPDATE subscription_secrets SET ciphertext = overlay(ciphertext PLACING 'AAAAAAAA' FROM 30)
       WHERE id IN (SELECT id FROM subscription_secrets ORDER BY created_at LIMIT 2)`,
      );

      expect(await refusal(keyOf('k1'))).toContain('The encryption key k1 differs from the key of that name');
      expect(await checkValues()).toEqual([]);
      expect(await refusal(k1)).toBe('proved');
      expect(await checkValues()).toEqual(['k1']);
    });

    test('and a row that was changed afterwards stops no start', async () => {
      expect(await refusal(k1)).toBe('proved');
      await insertSealed(database.pool, createKeyRing([k1]), { secrets: 1, answers: 1 });
      await database.pool.query(
        `UPDATE subscription_secrets SET ciphertext = overlay(ciphertext PLACING 'AAAA' FROM 30)`,
      );
      await database.pool.query(`UPDATE idempotency_keys SET sealed_body = 'nonsense'`);

      expect(await refusal(k1)).toBe('proved');
    });

    // Written one after the other without looking again, two different check values would both have been taken for the right one.
    test('when two processes come at once with other bytes under one name, for one of them only', async () => {
      const others = Array.from({ length: 6 }, () => keyOf('k1'));

      const answers = await Promise.all(others.map((key) => refusal(key)));

      expect(answers.filter((answer) => answer === 'proved')).toHaveLength(1);
      expect(
        answers.filter((answer) => answer.includes('The encryption key k1 differs from the key of that name')),
      ).toHaveLength(5);
      const winner = others[answers.indexOf('proved')];
      expect(winner && (await refusal(winner))).toBe('proved');
    });
  });

  // A key of access tokens is replaced where it cannot be opened: a start that is refused for it would help nobody.
  test('a key that has sealed keys of access tokens alone may be missing; one that has sealed a client secret may not', async () => {
    expect(await refusal(k2, k1)).toBe('proved');
    await insertSealed(database.pool, createKeyRing([k1]), { secrets: 0, answers: 0, clients: 1 });
    expect(await refusal(k2)).toContain('It has encrypted 1 row of machine_credential_secrets.');
    await database.pool.query('DELETE FROM machine_credential_secrets');
    expect(await refusal(k2)).toBe('proved');
  });

  test('a key that has sealed the secret of an authenticator app may be missing only before its first code', async () => {
    expect(await refusal(k2, k1)).toBe('proved');
    await insertSealed(database.pool, createKeyRing([k1]), { secrets: 0, answers: 0, people: 1 });
    expect(await refusal(k2)).toContain('It has encrypted 1 row of totp_factors.');
    await database.pool.query('UPDATE totp_factors SET confirmed_at = NULL');
    expect(await refusal(k2)).toBe('proved');
  });

  describe('a lost key is given up', () => {
    test('with everything that it sealed, and nothing else; its name is free again', async () => {
      expect(await refusal(k1, k2)).toBe('proved');
      await insertSealed(database.pool, createKeyRing([k1]), { secrets: 2, answers: 1, clients: 1, people: 1 });
      await insertSealed(database.pool, createKeyRing([k2]), { secrets: 1, answers: 1 });
      const counted = [
        { table: 'subscription_secrets', count: 2 },
        { table: 'idempotency_keys', count: 1 },
        { table: 'machine_credential_secrets', count: 1 },
        { table: 'inbound_webhook_secrets', count: 0 },
        { table: 'connections', count: 0 },
        { table: 'secrets', count: 0 },
        { table: 'totp_factors', count: 1 },
        { table: 'token_signing_keys', count: 1 },
      ];
      expect(await whatAbandonTakes(database.pool, 'k1', [k2])).toEqual(counted);

      expect(await abandonKey(database.pool, 'k1')).toEqual(
        counted.map(({ table, count }) => ({ table, removed: count })),
      );

      expect((await sealedTexts(database.pool)).map(({ sealed }) => sealed.split('.')[1])).toEqual(['k2', 'k2']);
      expect(await refusal(k2)).toBe('proved');
      expect(await refusal(k2, keyOf('k1'))).toBe('proved');
    });

    test('never while it is configured, and never one that nothing knows', async () => {
      await refusal(k1);
      await expect(whatAbandonTakes(database.pool, 'k1', [k1])).rejects.toThrow('The encryption key k1 is configured');
      await expect(whatAbandonTakes(database.pool, 'k9', [k1])).rejects.toThrow(
        'This database has no encryption key k9',
      );
    });

    test('and the list tells each key by what it is to this process', async () => {
      await refusal(k1, k2, keyOf('k3'));
      await insertSealed(database.pool, createKeyRing([k2]), { secrets: 1, answers: 0 });
      const none = {
        subscription_secrets: 0,
        idempotency_keys: 0,
        machine_credential_secrets: 0,
        inbound_webhook_secrets: 0,
        connections: 0,
        secrets: 0,
        totp_factors: 0,
        token_signing_keys: 0,
      };

      expect(await describeEncryptionKeys(database.pool, [k1, keyOf('k3')])).toEqual([
        { id: 'k1', state: 'seals', createdAt: expect.any(Date), sealed: none },
        { id: 'k3', state: 'other bytes', createdAt: expect.any(Date), sealed: none },
        { id: 'k2', state: 'missing', createdAt: expect.any(Date), sealed: { ...none, subscription_secrets: 1 } },
      ]);
    });
  });

  describe('the table of sealed columns', () => {
    test('names every column of the database that holds a sealed text', async () => {
      await insertSealed(database.pool, createKeyRing([k1]), {
        secrets: 1,
        answers: 1,
        clients: 1,
        people: 1,
        webhooks: 1,
        texts: 1,
      });
      const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);

      expect(new Set((await sealedTexts(database.pool)).map(({ place }) => place))).toEqual(new Set(listed));
    });

    test('is missed by a sealed text of any other column', async () => {
      const planted = createKeyRing([k1]).encrypt('plain', contextIn(SEALED_COLUMNS[0], 'sec_1'));
      await database.pool.query('CREATE TABLE planted (id text, value text)');
      await database.pool.query('INSERT INTO planted VALUES ($1, $2)', ['1', planted]);

      expect(await sealedTexts(database.pool)).toEqual([{ place: 'planted.value', sealed: planted }]);
    });
  });

  test.each(['k'.repeat(33), 'a.b', ''])('a key cannot be named %j, in the setting and on the ring alike', (kid) => {
    const { key } = k1;
    expect(() => readEncryptionKeys(`${kid}:${key.toString('base64')}`)).toThrow('ENCRYPTION_KEYS must be');
    expect(() => createKeyRing([{ kid, key }])).toThrow('1 to 32');
  });
});

describe('reseal', () => {
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
    await expect(resealAll(database.pool, [fresh, keyOf('old')])).rejects.toThrow('differs from the key of that name');
    await expect(resealAll(database.pool, [fresh])).rejects.toThrow('The encryption key old is missing');
    expect(await sealedTexts(database.pool)).toEqual(before);
  });

  test('the command prints what it has done, and fails where a row does not open', async () => {
    await insertSealed(database.pool, createKeyRing([old]), { secrets: 2, answers: 0 });
    const settings = [fresh, old].map(({ kid, key }) => `${kid}:${key.toString('base64')}`).join(',');
    const run = () =>
      runPosthorn(['encryption-keys', 'reencrypt'], { DATABASE_URL: database.url, ENCRYPTION_KEYS: settings });
    const done = await run();
    expect([done.exitCode, done.errors]).toEqual([0, '']);
    expect(done.output).toMatch(
      /^subscription_secrets: 2 re-encrypted\nmachine_credential_secrets: 0 re-encrypted\n[^]*\nThey are now encrypted with the key fresh\n$/,
    );
    await database.pool.query(`UPDATE subscription_secrets SET ciphertext = 'v1.old.' || substr(ciphertext, 10)`);
    const failed = await run();
    expect([failed.exitCode, failed.output]).toEqual([
      1,
      expect.stringContaining('subscription_secrets: 2 that no key can decrypt, left unchanged'),
    ]);
  });
});
