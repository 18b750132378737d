import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** One migration of this release: the name of its folder, its SQL, and the SHA-256 of that file, in hex. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/** prisma/ is not compiled: from dist/src/db it is one folder further up than from src/db. */
export const PRISMA_FOLDER = new URL(
  import.meta.url.endsWith('.ts') ? '../../prisma/' : '../../../prisma/',
  import.meta.url,
);
const MIGRATIONS_FOLDER = new URL('migrations/', PRISMA_FOLDER);

/** The migrations of this release by name, the oldest first: their names begin with their number. */
export function migrationNames(): string[] {
  return readdirSync(MIGRATIONS_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** The same with what they do. */
export function readMigrations(): Migration[] {
  return migrationNames().map((name) => {
    const sql = readFileSync(new URL(`${name}/migration.sql`, MIGRATIONS_FOLDER), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Whether releases before this migration can no longer work on the database: it drops, renames or tightens what they use. Its author
 * says so by the end of its name, `_contract`; that is all an older release knows of it.
 */
export const isContracting = (name: string): boolean => name.endsWith('_contract');
