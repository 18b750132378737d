import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { canReach, type PostgresUser } from './postgres-user.ts';

export type DatabaseFolderOptions = {
  /** Data folder of this installation; its `postgres` is where the database belongs. */
  dataFolder: string;
  user: PostgresUser | undefined;
  /** Folder for data that the user cannot reach in the data folder. */
  fallbackFolder: string;
  onProgress: (line: string) => void;
};

/** The password that the database was made with: a data folder without it is a fresh one. */
export const passwordPath = (dataFolder: string): string => join(dataFolder, 'keys', 'postgres');
// The substitute that this installation has made, for its next starts.
const choicePath = (dataFolder: string): string => join(dataFolder, 'keys', 'postgres-folder');

/**
 * The folder of the database: `<dataFolder>/postgres`, or a substitute below `fallbackFolder` where the user of PostgreSQL cannot reach
 * that one (a checkout under /root). Throws with one sentence when it can reach neither.
 *
 * A substitute bears the name of the path that it stands for. A checkout that was removed and made again at the same path would find
 * the one of its predecessor, whose password is gone. The new one begins anew beside it, and the old one stays as it is.
 */
export function chooseDatabaseFolder({ dataFolder, user, fallbackFolder, onProgress }: DatabaseFolderOptions): string {
  const wanted = join(dataFolder, 'postgres');
  if (user === undefined || canReach(user, dataFolder, 'x')) return wanted;
  mkdirSync(fallbackFolder, { recursive: true, mode: 0o755 });
  if (!canReach(user, fallbackFolder, 'x')) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} can reach neither ${wanted} nor ${fallbackFolder}: start as another user, move the checkout, or set DATABASE_URL`,
    );
  }
  // Two checkouts must not share one folder: its name carries a digest of the path it stands for.
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const first = join(fallbackFolder, `${basename(dirname(dataFolder))}-${digest}`);
  const folder = readChoice(dataFolder, first) ?? chooseSubstitute(dataFolder, first, onProgress);
  onProgress(`The user ${user.name} cannot reach ${wanted}: PostgreSQL keeps its data in ${folder}`);
  return folder;
}

function chooseSubstitute(dataFolder: string, first: string, onProgress: (line: string) => void): string {
  // An installation of a release that noted no choice has the first one, and its password.
  if (existsSync(passwordPath(dataFolder))) return first;
  let folder = first;
  for (let count = 2; existsSync(folder); count += 1) folder = `${first}-${count}`;
  if (folder !== first)
    onProgress(
      `${first} is the database of an earlier installation at this path, whose password is not in ${passwordPath(dataFolder)}: this one begins anew in ${folder}, and the earlier one stays as it is`,
    );
  writeFileSync(`${choicePath(dataFolder)}.new`, `${folder}\n`, { mode: 0o600 });
  renameSync(`${choicePath(dataFolder)}.new`, choicePath(dataFolder));
  return folder;
}

/** The note of a copied checkout names the folder of the original, so a note counts at its own path only. */
function readChoice(dataFolder: string, first: string): string | undefined {
  if (!existsSync(choicePath(dataFolder))) return undefined;
  const folder = readFileSync(choicePath(dataFolder), 'utf8').trim();
  return folder === first || folder.startsWith(`${first}-`) ? folder : undefined;
}
