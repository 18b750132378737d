import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRecordAudit } from '../../src/identity/audit/record.ts';
import { createAudit } from '../../src/identity/audit/service.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const verify = () => createAudit(posthorn.deps).operator.verify();
const makeChannel = async (): Promise<string> =>
  (await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'orders' })).id;

test('a chain has a place for each of many changes at once, and can be computed again from an export', async () => {
  await Promise.all(Array.from({ length: 40 }, () => makeChannel()));
  const lines: string[] = [];
  for await (const line of createAudit(posthorn.deps).operator.export()) lines.push(line.trimEnd());
  let hash = Buffer.alloc(0);
  for (const [index, line] of lines.entries()) {
    const entry = line.slice(line.indexOf('"entry":') + '"entry":'.length, -1);
    hash = createHash('sha256').update(hash).update(entry).digest();
    const { position, hash: written } = JSON.parse(line) as { position: number; hash: string };
    expect([position, written]).toEqual([index + 1, hash.toString('hex')]);
  }
  expect(lines.length).toBeGreaterThanOrEqual(40);
  expect(await verify()).toEqual([{ organisationId: expect.any(String), entries: lines.length }]);
});

test.each([
  'UPDATE audit_entries SET action = $$x$$',
  'DELETE FROM audit_entries',
  'TRUNCATE audit_entries',
  'DELETE FROM audit_heads',
  'TRUNCATE audit_heads',
  'UPDATE audit_heads SET position = position - 1',
  'UPDATE audit_heads SET hash = sha256($$x$$)',
])('PostgreSQL refuses %s', async (statement) => {
  await makeChannel();
  await expect(posthorn.deps.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
});

test('a change is refused with words that help, once somebody has written an entry behind its end', async () => {
  const { pool } = posthorn.deps;
  const id = await makeChannel();
  const { rows } = await pool.query<{ position: number; organisation_id: string; environment_id: string }>(`
    INSERT INTO audit_entries SELECT 'aud_forged', organisation_id, environment_id, actor_id, action, target_id, position + 1, entry,
      hash FROM audit_entries WHERE position = (SELECT position FROM audit_heads) RETURNING *`);
  const [forged] = rows;
  try {
    expect((await verify())[0]?.breach).toBe(`the entry at position ${forged?.position} is not what was hashed`);
    const record = createRecordAudit(posthorn.deps);
    const doer = { organisationId: String(forged?.organisation_id), actor: { kind: 'commandLine' } } as const;
    const told = { action: 'channel.updated', target: { id } } as const;
    const changed = posthorn.deps.db.$transaction((transaction) => record(transaction, doer, told));
    await expect(changed).rejects.toThrow(/behind the end of its chain: run posthorn audit verify$/);
    expect((await posthorn.request('PATCH', `/v1/channels/${id}`, { name: 'x' })).status).toBe(500);
  } finally {
    await pool.query(`ALTER TABLE audit_entries DISABLE TRIGGER USER; DELETE FROM audit_entries WHERE id = 'aud_forged';
      ALTER TABLE audit_entries ENABLE TRIGGER USER`);
  }
});

test.each([
  [
    'an entry that was changed',
    `UPDATE audit_entries SET entry = replace(entry, 'apiKey', 'apiKex') WHERE position = 3`,
    2,
    'the entry at position 3 is not what was hashed',
  ],
  [
    'an entry that was removed',
    'DELETE FROM audit_entries WHERE position = 3',
    2,
    'the entry at position 3 is missing',
  ],
  [
    'an entry that was moved to no environment',
    `UPDATE audit_entries SET environment_id = NULL WHERE position = 3`,
    2,
    'the columns of the entry at position 3 differ from its text',
  ],
  [
    'a column that was changed',
    `UPDATE audit_entries SET actor_id = 'key_x' WHERE position = 3`,
    2,
    'the columns of the entry at position 3 differ from its text',
  ],
  [
    'a whole chain that was given to another organisation',
    `INSERT INTO organisations (id, name, updated_at) VALUES ('org_other', 'Other', now());
     SET session_replication_role = replica; -- Without it the key of environments would refuse.
     UPDATE audit_entries SET organisation_id = 'org_other'; UPDATE audit_heads SET organisation_id = 'org_other';
     RESET session_replication_role`,
    0,
    'the columns of the entry at position 1 differ from its text',
  ],
  [
    'entries that are missing at the end',
    'DELETE FROM audit_entries WHERE position > 5',
    5,
    'the entries behind position 5 are missing',
  ],
  [
    'an end that was taken back',
    `ALTER TABLE audit_heads DISABLE TRIGGER USER;
     UPDATE audit_heads SET position = 5, hash = (SELECT hash FROM audit_entries WHERE position = 5)`,
    5,
    "the entry at position 6 is behind the chain's end",
  ],
  [
    'an end that was removed',
    'ALTER TABLE audit_heads DISABLE TRIGGER USER; DELETE FROM audit_heads',
    0,
    "the entry at position 1 is behind the chain's end",
  ],
  [
    'an end with another hash',
    `DELETE FROM audit_entries WHERE position > 5; ALTER TABLE audit_heads DISABLE TRIGGER USER;
     UPDATE audit_heads SET position = 5, hash = sha256('x')`,
    5,
    "the entry at position 5 is not the chain's end",
  ],
])('the check shows %s, by one who could drop the trigger', async (_, statement, entries, breach) => {
  for (let n = 0; n < 6; n += 1) await makeChannel();
  const { pool } = posthorn.deps;
  const connection = await pool.connect();
  try {
    await connection.query('CREATE TEMP TABLE kept AS TABLE audit_entries');
    await connection.query('CREATE TEMP TABLE kept_heads AS TABLE audit_heads');
    await connection.query('ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_append_only');
    await connection.query(statement);
    expect((await verify()).filter((report) => 'breach' in report)).toEqual([
      { organisationId: expect.any(String), entries, breach },
    ]);
    await connection.query('DELETE FROM audit_entries; INSERT INTO audit_entries TABLE kept');
    await connection.query('ALTER TABLE audit_heads DISABLE TRIGGER USER');
    await connection.query('DELETE FROM audit_heads; INSERT INTO audit_heads TABLE kept_heads');
  } finally {
    await connection.query('ALTER TABLE audit_heads ENABLE TRIGGER USER');
    await connection.query('DROP TABLE IF EXISTS kept_heads');
    await connection.query('ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_append_only');
    await connection.query('DROP TABLE IF EXISTS kept');
    connection.release();
  }
  expect((await verify())[0]).not.toHaveProperty('breach');
});
