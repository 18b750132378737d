import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

// Where the system does not tell: what macOS has at least.
const USUAL_DESCRIPTORS = 10_240;

/** Bounds of a process: bytes of memory and of V8's heap, and open files, sockets included. */
export type Machine = { memoryBytes: number; heapBytes: number; descriptors: number };

/** Parts of the open files: requests of drains, tries of workflows, and callers. The rest is for PostgreSQL, Temporal and files. */
export const OPEN_FILES_FOR = { drains: 0.35, workflows: 0.15, callers: 0.25 } as const;

/** Bounds of this process, containers' limits included. */
export function readMachine(): Machine {
  const total = totalmem();
  const constrained = process.constrainedMemory();
  // Without a limit it is 0, or a number that no machine has.
  const memoryBytes = constrained > 0 ? Math.min(total, constrained) : total;
  return { memoryBytes, heapBytes: getHeapStatistics().heap_size_limit, descriptors: openFiles() };
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
