import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The whole schema in one file. Names sort by number, so every later migration has a higher one. */
export const BASELINE = '0100_baseline';
/** The newest of the migrations that the baseline replaces: a database that has it has the baseline's schema. */
const BEFORE_BASELINE = '0098_ends_without_letters';

/** SQL: names of the applied migrations, in the list that the runner or Prisma's own tool maintains. */
export const SELECT_APPLIED =
  'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL';

/**
 * Why a database with these migrations cannot be upgraded to this release, with the remedy; undefined if it can. There are no upgrades
 * between commits before the first release.
 */
export function whyRefused(applied: readonly string[]): string | undefined {
  const newest = applied.toSorted().at(-1);
  if (newest === undefined || newest === BEFORE_BASELINE || applied.includes(BASELINE)) return undefined;
  return (
    `The newest migration of this database is ${newest}, of another program or of a version before the first release, which cannot be ` +
    'upgraded; use an empty database (with `posthorn start`, an empty DATA_FOLDER)'
  );
}

/** A migration of this release: the name of its folder, its SQL, and the SHA-256 of that file, in hex. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/** prisma/ is not compiled, so from dist it is one folder further up. */
export const PRISMA_FOLDER = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../prisma/' : '../../../../../prisma/',
  import.meta.url,
);
const MIGRATIONS_FOLDER = new URL('migrations/', PRISMA_FOLDER);

/** Names of this release's migrations, oldest first: a name begins with its number. The baseline is the first one. */
export function migrationNames(): string[] {
  return readdirSync(MIGRATIONS_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** The migrations of this release with their SQL. */
export function readMigrations(): Migration[] {
  return migrationNames().map((name) => {
    const sql = readFileSync(new URL(`${name}/migration.sql`, MIGRATIONS_FOLDER), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Whether older releases stop working on the database after this migration, because it drops, renames or tightens something they use.
 * Its name ends in `_contract`, which is all that an older release knows about it.
 */
export const isContracting = (name: string): boolean => name.endsWith('_contract');
