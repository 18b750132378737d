import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import type { RunAs } from './child.ts';

export type PostgresUser = RunAs & { readonly name: string };

const CANDIDATES = ['postgres', 'nobody'];
const OWN_NAME = 'posthorn';

/**
 * The user to run PostgreSQL as: undefined for the current one. PostgreSQL refuses to run as root, so for root this is the owner of an
 * earlier start's data folder, otherwise an existing unprivileged user, otherwise a new one. Throws one sentence if there is none.
 */
export function choosePostgresUser(dataFolder: string): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataFolder, { throwIfNoEntry: false })?.uid ?? 0;
  const users = readUsers();
  const earlier = users.find(({ uid }) => owner !== 0 && uid === owner);
  const user =
    earlier ??
    CANDIDATES.map((name) => users.find((each) => each.name === name)).find(
      (each) => each !== undefined && each.uid !== 0,
    ) ??
    createUser();
  if (user === undefined) {
    throw new Error(
      'PostgreSQL does not run as root and this system has no other user to run it as; start as another user, or set DATABASE_URL',
    );
  }
  return user;
}

/** Whether that user can execute (`x`) or write (`w`) that path. Checked as that user, so every parent folder counts. */
export function canReach(user: PostgresUser, path: string, permission: 'x' | 'w'): boolean {
  const question = permission === 'x' ? 'test -x "$1"' : 'test -w "$1" && test -x "$1"';
  return spawnSync('/bin/sh', ['-c', question, 'sh', path], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0;
}

function createUser(): PostgresUser | undefined {
  const commands: [string, ...string[]][] = [
    ['useradd', '--system', '--no-create-home', '--shell', '/bin/false', OWN_NAME],
    ['adduser', '-S', '-D', '-H', '-s', '/bin/false', OWN_NAME],
  ];
  for (const [command, ...args] of commands) {
    if (spawnSync(command, args).status === 0) break;
  }
  return readUsers().find(({ name, uid }) => name === OWN_NAME && uid !== 0);
}

/** The lines of passwd(5): name, password, uid, gid. */
function readUsers(): PostgresUser[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid = '', gid = '']) => ({ name, uid: Number(uid), gid: Number(gid) }))
      .filter(({ name, uid, gid }) => name !== '' && Number.isInteger(uid) && Number.isInteger(gid));
  } catch {
    return [];
  }
}
