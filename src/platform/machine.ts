import { readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { getHeapStatistics } from 'node:v8';

// Where the system does not tell: what macOS has at least.
const USUAL_DESCRIPTORS = 10_240;

/** Bounds of a process: bytes of memory and of V8's heap, and open files, sockets included. */
export type Machine = { memoryBytes: number; heapBytes: number; descriptors: number };

/** Parts of the open files: requests of drains, tries of workflows, and callers. The rest is for PostgreSQL, Temporal and files. */
export const OPEN_FILES_FOR = { drains: 0.35, workflows: 0.15, callers: 0.25 } as const;

/**
 * Bounds of this process, one of `processes` that share the memory: containers' limits are included. Open files are not shared, since
 * the system counts them for each process.
 */
export function readMachine(processes: number): Machine {
  const total = totalmem();
  const constrained = process.constrainedMemory();
  // Without a limit it is 0, or a number that no machine has.
  const memoryBytes = (constrained > 0 ? Math.min(total, constrained) : total) / processes;
  return { memoryBytes, heapBytes: getHeapStatistics().heap_size_limit, descriptors: openFiles() };
}

// V8 takes half of the memory at most for one process, and less where there is much. Several processes would take it all.
const HEAP_PART = 0.5;
const MIB = 1024 * 1024;

/** MiB of V8's heap for each of `processes` like this one; undefined where V8's own limit is no larger. */
export function heapLimitOf(
  processes: number,
  { memoryBytes, heapBytes }: Machine = readMachine(processes),
): number | undefined {
  const share = memoryBytes * HEAP_PART;
  return share < heapBytes ? Math.floor(share / MIB) : undefined;
}

type ReadText = (path: string) => string | undefined;

/** Cores that this process may use at a time: those of its affinity, and no more than the quotas of its control groups (v1 and v2). */
export function usableCores(read: ReadText = readText, parallelism = availableParallelism()): number {
  return Math.min(parallelism, ...quotas(read));
}

/** Quotas in cores. A group's parents bind it too, and a container may see its own group as the root. */
function quotas(read: ReadText): number[] {
  return (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    // proc(5): its number, its controllers (none: v2) and its path, between colons.
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    if (controllers === '')
      return groupsOf(path).map((group) => quotaOf(...(read(`/sys/fs/cgroup${group}/cpu.max`) ?? '').split(/\s+/)));
    if (!controllers.split(',').includes('cpu')) return [];
    return groupsOf(path).map((group) => {
      const folder = `/sys/fs/cgroup/cpu${group}`;
      return quotaOf(read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`));
    });
  });
}

/** `/a/b` is in `/a`, which is in the root, whose files stand below no name. */
const groupsOf = (path: string): string[] => (path === '/' ? [''] : [path, ...groupsOf(dirname(path))]);

/** `max` (v2) and -1 (v1) are no quota. */
function quotaOf(quota?: string, period?: string): number {
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The limit that the process has now; Node has raised it as far as it may. Only Linux tells it without a child process. */
function openFiles(): number {
  try {
    const [, soft = ''] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/**
 * The namespace in which a pid names one process. Containers on one host, and hosts of the same name, have pids of their own: without it a
 * live process of another container would be taken for dead.
 */
export const PID_NAMESPACE = readPidNamespace();

/** Whether a process with this pid is alive in the namespace of this one. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readPidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Systems other than Linux have no namespaces.
    return hostname();
  }
}
