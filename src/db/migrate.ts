import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DiffTarget, MigrationList, SchemaEngine, SchemaFilter } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { connectionSettings } from './connection.ts';
import { createMigrationAdapter } from './migration-adapter.ts';
import { createSchemaEngine } from './schema-engine.ts';

// prisma/ is not compiled: from dist/src/db it is one folder further up than from src/db.
const prismaFolder = new URL(import.meta.url.endsWith('.ts') ? '../../prisma/' : '../../../prisma/', import.meta.url);
const schemaPath = fileURLToPath(new URL('schema.prisma', prismaFolder));
const migrationsPath = fileURLToPath(new URL('migrations', prismaFolder));
const filters: SchemaFilter = { externalTables: [], externalEnums: [] };
// Any number, the same in every process: whoever holds it migrates, the others wait and then find nothing to do.
const LOCK_NUMBER = 7_220_633;

/** A side of a comparison: nothing, prisma/schema.prisma, or the database that `diff` is given. */
export type DiffSide = 'nothing' | 'schema' | 'database';

/**
 * Brings the database at `url` to the newest migration and returns the names of those it applied. Safe to call from many
 * processes at once. Throws, with the migration's name in the message, when one fails; earlier ones stay applied.
 */
export async function migrate(url: string, onProgress: (line: string) => void = () => undefined): Promise<string[]> {
  const lock = new pg.Client(connectionSettings(url, 1));
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_NUMBER]);
    return await withEngine(url, async (engine) => {
      const migrationsList = await readMigrations();
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
      for (const name of appliedMigrationNames) onProgress(`Applied migration ${name}`);
      return appliedMigrationNames;
    });
  } finally {
    // Ending the session gives the lock back.
    await lock.end();
  }
}

/**
 * The SQL that leads from one side to the other; empty text when they agree. `diff(url, 'database', 'schema')` is the next
 * migration's SQL, to be completed by hand: Prisma knows no collations, functions, storage settings or partial indexes.
 */
export async function diff(url: string, from: DiffSide, to: DiffSide): Promise<string> {
  const schema = await readFile(schemaPath, 'utf8');
  const sides: Record<DiffSide, DiffTarget> = {
    nothing: { tag: 'empty' },
    schema: { tag: 'schemaDatamodel', files: [{ path: schemaPath, content: schema }] },
    // The engine never opens this address itself: it asks the adapter, which is already connected to `url`.
    database: { tag: 'schemaDatasource', files: [{ path: schemaPath, content: schema }], configDir: '' },
  };
  return withEngine(url, async (engine) => {
    const { stdout } = await engine.diff({ from: sides[from], to: sides[to], script: true, exitCode: null, filters });
    const script = (stdout ?? '').trim();
    return script === '-- This is an empty migration.' ? '' : script;
  });
}

async function withEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const pool = new pg.Pool(connectionSettings(url, 1));
  pool.on('error', () => undefined);
  try {
    const engine = await createSchemaEngine(createMigrationAdapter(pool), [
      [schemaPath, await readFile(schemaPath, 'utf8')],
    ]);
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    // The engine's own advisory lock lives as long as its session.
    await pool.end();
  }
}

async function readMigrations(): Promise<MigrationList> {
  const folders = (await readdir(migrationsPath, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const migrationDirectories = await Promise.all(
    folders.sort().map(async (path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(`${migrationsPath}/${path}/migration.sql`, 'utf8') },
      },
    })),
  );
  const lockfile = {
    path: 'migration_lock.toml',
    content: await readFile(`${migrationsPath}/migration_lock.toml`, 'utf8'),
  };
  return { baseDir: migrationsPath, lockfile, shadowDbInitScript: '', migrationDirectories };
}
