import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DiffTarget, SchemaEngine, SchemaFilter } from '@prisma/schema-engine-wasm';
import { openPool } from '../../../../src/platform/db/connection.ts';
import { createMigrationAdapter } from './migration-adapter.ts';
import { PRISMA_FOLDER } from '../../../../src/platform/db/migrations/migrations.ts';
import { createSchemaEngine } from './schema-engine.ts';

const schemaPath = fileURLToPath(new URL('schema.prisma', PRISMA_FOLDER));
const filters: SchemaFilter = { externalTables: [], externalEnums: [] };

/** A side of a comparison: nothing, prisma/schema.prisma, or the database that `diff` is given. */
export type DiffSide = 'nothing' | 'schema' | 'database';

/**
 * Returns the SQL that leads from one side to the other; empty if they agree. `diff(url, 'database', 'schema')` is the SQL of the next
 * migration, to be completed by hand: Prisma does not know collations, functions, storage settings or partial indexes.
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
  const pool = openPool(url, 1);
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
