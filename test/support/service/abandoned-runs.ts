import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOrphan } from '../../../local/child.ts';
import { identifyProcess, isRunning, readIdentity, writeIdentity } from '../../../local/process-identity.ts';

/** Prefix of the name of every run's folder. */
export const RUN_FOLDER_PREFIX = join(tmpdir(), 'posthorn-test-');
const OWNER_FILE = 'run.json';

/** Marks the folder as this process's, for as long as it lives. */
export function claimFolder(folder: string): void {
  const identity = identifyProcess(process.pid);
  if (identity !== undefined) writeIdentity(join(folder, OWNER_FILE), identity);
}

/** Keeps the folder for inspection: no later run removes it. */
export function releaseFolder(folder: string): void {
  rmSync(join(folder, OWNER_FILE), { force: true });
}

/** Ends the servers of runs that were killed before their teardown, and removes their folders. */
export async function clearAbandonedRuns(): Promise<void> {
  const folders = readdirSync(tmpdir()).map((name) => join(tmpdir(), name));
  for (const folder of folders.filter((path) => path.startsWith(RUN_FOLDER_PREFIX))) {
    const owner = readIdentity(join(folder, OWNER_FILE));
    if (owner === undefined || isRunning(owner)) continue;
    for (const name of ['postgres', 'temporal']) {
      await endOrphan({
        identityPath: join(folder, 'state', `${name}.pid.json`),
        stopSignal: 'SIGKILL',
        stopPatienceMs: 0,
      });
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
