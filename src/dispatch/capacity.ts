import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** How much of one kind of thing this process may have under way. */
export type Capacity = {
  /** First tries of backlogs in flight, in units of `UNIT_BYTES`. */
  readonly requests: number;
  /** Tries in Temporal workflows, of each kind (local and regular). */
  readonly slots: number;
};

/** What one request in flight may hold of its payload; a larger one counts for several. */
export const UNIT_BYTES = 65_536;

// A tenth of the memory for requests in flight, each with its payload, its socket and the reading of its answer: measured, 12 to
// 17 KiB with a payload of 1 KiB, 100 KiB with one of 60 KiB.
const MEMORY_PART = 0.1;
// Half of the file descriptors: the others are for callers, PostgreSQL, Temporal and connections that are idle.
const DESCRIPTORS_PART = 0.5;
// Where the system does not tell: what macOS has at least.
const USUAL_DESCRIPTORS = 10_240;
const REQUESTS = { least: 200, most: 8_000 };
// A slot holds a workflow, its task and its try. The Temporal SDK keeps 600 workflows for each GiB of heap beyond the first 200 MiB,
// and has no more tasks under way than it keeps workflows; it needs some for others than first tries.
const MIB = 1024 * 1024;
const HEAP_OF_OTHERS = 200 * MIB;
const SLOT_BYTES = 2 * MIB;
const SLOTS = { least: 20, most: 500 };

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.max(least, Math.min(most, Math.floor(value)));

export type Machine = { memoryBytes: number; heapBytes: number; descriptors: number };

/** Follows from memory, heap and file descriptors; `requests`, where an operator has set it. */
export function capacityOf({ memoryBytes, heapBytes, descriptors }: Machine, requests: number | undefined): Capacity {
  const free = Math.min((memoryBytes * MEMORY_PART) / UNIT_BYTES, descriptors * DESCRIPTORS_PART);
  return {
    requests: requests ?? within(free, REQUESTS),
    slots: within((heapBytes - HEAP_OF_OTHERS) / SLOT_BYTES, SLOTS),
  };
}

/** What this process may use, containers' limits included. */
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

/**
 * Whether somebody who has `own` of a number of things that all share may take `more` of them: never more than are free then, so
 * that whoever takes longest leaves room. Alone it may have half of all, beside another one a third.
 */
export const isFairShare = (own: number, free: number, more = 1): boolean => own + more <= free;
