import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readMigrations } from '../../src/db/migrations/migrations.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.stop());

/** Scopes that there were before apps had any. */
const BEFORE = [
  'channels:read',
  'channels:write',
  'messages:read',
  'messages:write',
  'subscriptions:read',
  'subscriptions:write',
  'deliveries:read',
  'dlq:read',
  'dlq:write',
  'credentials:write',
];

test('keys with every scope of before have the new ones too, and others keep theirs', async () => {
  const { db, pool } = edge.database;
  const stored = async (scopes: string[]): Promise<string> => {
    const draft = { environment: 'live', name: 'old', tier: 'free' } as const;
    const { id } = await edge.apiKeys.operator.create(draft);
    await db.apiKey.update({ where: { id }, data: { scopes } });
    return id;
  };
  const all = await stored(BEFORE);
  const few = await stored(BEFORE.slice(1));
  const none = await stored([]);
  const sql = readMigrations().find(({ name }) => name === '0022_apps')?.sql ?? '';
  const statement = /^UPDATE "api_keys"[^;]*;/m.exec(sql)?.[0] ?? '';
  const scopesOf = async (id: string): Promise<string[]> =>
    (await db.apiKey.findUniqueOrThrow({ where: { id } })).scopes;

  await pool.query(statement);
  await pool.query(statement);

  expect(await scopesOf(all)).toEqual([...BEFORE, 'apps:read', 'apps:write']);
  expect(await scopesOf(few)).toEqual(BEFORE.slice(1));
  expect(await scopesOf(none)).toEqual([]);
});
