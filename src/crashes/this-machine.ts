import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The space in which a pid names one process. Containers on one host, and machines of the same name, have pids of their own: without it a
 * living process of another container would be taken for dead.
 */
export const MACHINE = readMachine();

/** Whether a process of this machine lives. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readMachine(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // No Linux: no namespaces either.
    return hostname();
  }
}
