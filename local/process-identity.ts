import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** Identity of a process: a pid can be reused, but not together with its start time. */
export type ProcessIdentity = { readonly pid: number; readonly bornAt: string };

const POLL_MS = 50;
const identityOfFile = z.object({ pid: z.number().int().positive(), bornAt: z.string().min(1) });

/** The process that has that pid now. Undefined if there is none, and if the system cannot tell (Windows). */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const bornAt = readBirth(pid);
  return bornAt === undefined ? undefined : { pid, bornAt };
}

/** The command line of a process, its parts separated by spaces; empty if it cannot be read. */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return askPs(pid, 'command');
  }
}

/** Whether exactly that process is still running. A zombie does not count. */
export function isRunning(identity: ProcessIdentity): boolean {
  return readBirth(identity.pid) === identity.bornAt;
}

/** Sends `signal` to exactly that process, waits up to `patienceMs`, then kills it. Returns when it is gone. */
export async function endProcess(identity: ProcessIdentity, signal: NodeJS.Signals, patienceMs: number): Promise<void> {
  send(identity, signal);
  const deadline = Date.now() + patienceMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) send(identity, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** Writes an identity to the file where the next start looks for it. */
export function writeIdentity(path: string, identity: ProcessIdentity): void {
  writeFileSync(path, JSON.stringify(identity), { mode: 0o600 });
}

/** Reads an identity file. Undefined if there is none, or it was truncated by a crash. */
export function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return identityOfFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Takes the file as a lock for this process. Returns a function that releases it, or the process that holds it. A lock of a process
 * that no longer runs is free.
 */
export function takeLock(path: string): (() => void) | ProcessIdentity {
  const self = identifyProcess(process.pid) ?? { pid: process.pid, bornAt: 'unknown' };
  const holder = readIdentity(path);
  if (holder !== undefined && holder.pid !== process.pid && isRunning(holder)) return holder;
  rmSync(path, { force: true });
  try {
    writeFileSync(path, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  } catch (failure) {
    // Another start was faster by less than a millisecond.
    const winner = readIdentity(path);
    if (winner === undefined) throw failure;
    return winner;
  }
  return () => rmSync(path, { force: true });
}

function send(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (failure) {
    // ESRCH: it ended between the two lines. EPERM and others are real errors.
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'ESRCH')) throw failure;
  }
}

function readBirth(pid: number): string | undefined {
  try {
    // proc(5): after the name in brackets come the state and, as the 20th field from there, the start time in clock ticks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    const [state = '', ...birth] = askPs(pid, 'state=,lstart').split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : birth.join(' ');
  }
}

/** Returns one field of ps(1), for systems without /proc; empty if there is no such process or no ps. */
function askPs(pid: number, field: string): string {
  if (process.platform === 'linux' || process.platform === 'win32') return '';
  try {
    return execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
