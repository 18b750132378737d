import { type Machine, OPEN_FILES_FOR } from '../../platform/machine.ts';

/** How much of each kind this process may have under way. */
export type Capacity = {
  /** First tries of backlogs in flight, in units of `UNIT_BYTES`. */
  readonly requests: number;
  /** Tries in Temporal workflows, of each kind (local and regular). */
  readonly slots: number;
};

/** Bytes of payload that one request in flight may hold. A larger one counts for several. */
export const UNIT_BYTES = 65_536;

// A tenth of the memory is for requests in flight, each with its payload, its socket and the reading of its answer. Measured: 12 to
// 17 KiB with a payload of 1 KiB, 100 KiB with one of 60 KiB.
const MEMORY_PART = 0.1;
const REQUESTS = { least: 10, most: 8_000 };
// A slot holds a workflow, its task and its try. The Temporal SDK keeps 600 workflows for each GiB of heap beyond the first 200
// MiB, and has no more tasks under way than workflows. Some of them are needed for other work than first tries.
const MIB = 1024 * 1024;
const HEAP_OF_OTHERS = 200 * MIB;
const SLOT_BYTES = 2 * MIB;
const SLOTS = { least: 20, most: 500 };

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.max(least, Math.min(most, Math.floor(value)));

/** Follows from memory, heap and file descriptors. `requests` is set where an operator has set it. */
export function capacityOf({ memoryBytes, heapBytes, descriptors }: Machine, requests: number | undefined): Capacity {
  const free = Math.min((memoryBytes * MEMORY_PART) / UNIT_BYTES, descriptors * OPEN_FILES_FOR.drains);
  return {
    requests: requests ?? within(free, REQUESTS),
    slots: within(Math.min((heapBytes - HEAP_OF_OTHERS) / SLOT_BYTES, descriptors * OPEN_FILES_FOR.workflows), SLOTS),
  };
}

/**
 * Whether a user that has `own` of a shared number may take `more`: never more than are free then, so that the slowest user leaves
 * room. One alone may have half of all, two a third each.
 */
export const isFairShare = (own: number, free: number, more = 1): boolean => own + more <= free;
