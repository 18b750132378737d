import { readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { getHeapStatistics } from 'node:v8';

// The minimum on macOS, for systems that do not report it.
const USUAL_DESCRIPTORS = 10_240;

/** Limits of a process: bytes of memory and of V8's heap, and open files including sockets. */
export type Machine = { memoryBytes: number; heapBytes: number; descriptors: number };

/**
 * Shares of the open files: requests of the direct path, attempts of workflows, and callers. The rest is for PostgreSQL, Temporal and
 * files. Without shares, 191 requests in flight and 60 callers with `ulimit -n 256` left Node unable to create worker threads, and the
 * process ended.
 */
export const OPEN_FILES_FOR = { drains: 0.35, workflows: 0.15, callers: 0.25 } as const;

/**
 * Limits of this process, one of `processes` that share the memory; includes those of containers. Open files are not shared, since the
 * system counts them per process.
 */
export function readMachine(processes: number): Machine {
  const total = totalmem();
  const constrained = process.constrainedMemory();
  // Without a limit it is 0, or a number beyond any machine.
  const memoryBytes = (constrained > 0 ? Math.min(total, constrained) : total) / processes;
  return { memoryBytes, heapBytes: getHeapStatistics().heap_size_limit, descriptors: openFiles() };
}

// V8 uses at most half of the memory for one process, and less on large machines. Several processes would use all of it.
const HEAP_PART = 0.5;
const MIB = 1024 * 1024;

/** MiB of V8's heap for each of `processes` like this one; undefined if V8's own limit is no larger. */
export function heapLimitOf(
  processes: number,
  { memoryBytes, heapBytes }: Machine = readMachine(processes),
): number | undefined {
  const share = memoryBytes * HEAP_PART;
  return share < heapBytes ? Math.floor(share / MIB) : undefined;
}

type ReadText = (path: string) => string | undefined;

/** Cores that this process may use: those of its affinity, limited by the quotas of its control groups (v1 and v2). */
export function usableCores(read: ReadText = readText, parallelism = availableParallelism()): number {
  return Math.min(parallelism, ...quotas(read));
}

/** Quotas in cores. A group's parents limit it too, and a container may see its own group as the root. */
function quotas(read: ReadText): number[] {
  return (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    // proc(5): its number, its controllers (none in v2) and its path, separated by colons.
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

/** `/a/b` is in `/a`, which is in the root, whose files have no prefix. */
const groupsOf = (path: string): string[] => (path === '/' ? [''] : [path, ...groupsOf(dirname(path))]);

/** `max` (v2) and -1 (v1) mean no quota. */
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

/** The current limit of the process, which Node has raised as far as possible. Only Linux reports it without a child process. */
function openFiles(): number {
  try {
    const [, soft = ''] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/**
 * The PID namespace. Containers on one host, and hosts with the same name, each have their own pids; without this, a live process in
 * another container could be taken for dead.
 */
export const PID_NAMESPACE = readPidNamespace();

/** Whether a process with this pid is alive in the PID namespace of this one. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
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
