import { type Machine, OPEN_FILES_FOR } from '../../platform/machine.ts';

/** How much this process may have in progress, by kind. */
export type Capacity = {
  /** Requests of the direct sender in flight, in units of `UNIT_BYTES`. */
  readonly requests: number;
  /** Attempts in Temporal workflows, of each kind (local and regular activities). */
  readonly slots: number;
};

/** Payload bytes that one request in flight may hold. A larger payload counts as several requests. */
export const UNIT_BYTES = 65_536;

// A tenth of the memory is for requests in flight, each with its payload, its socket and buffers for the response.
// Measured: 12 to 17 KiB with a payload of 1 KiB, 100 KiB with one of 60 KiB.
const MEMORY_PART = 0.1;
const REQUESTS = { least: 10, most: 8_000 };
// A slot holds a workflow, its task and its attempt. The Temporal SDK caches 600 workflows for each GiB of heap beyond
// the first 200 MiB, and does not run more tasks than workflows. Some of them are needed for work other than first
// attempts.
const MIB = 1024 * 1024;
const HEAP_OF_OTHERS = 200 * MIB;
const SLOT_BYTES = 2 * MIB;
const SLOTS = { least: 20, most: 500 };

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.max(least, Math.min(most, Math.floor(value)));

/**
 * Derives the capacity from memory, heap and file descriptors. `requests` overrides its part if the operator has set
 * it.
 */
export function capacityOf({ memoryBytes, heapBytes, descriptors }: Machine, requests: number | undefined): Capacity {
  const free = Math.min((memoryBytes * MEMORY_PART) / UNIT_BYTES, descriptors * OPEN_FILES_FOR.drains);
  return {
    requests: requests ?? within(free, REQUESTS),
    slots: within(Math.min((heapBytes - HEAP_OF_OTHERS) / SLOT_BYTES, descriptors * OPEN_FILES_FOR.workflows), SLOTS),
  };
}

/**
 * Whether a user that holds `own` of a shared number may take `more`: at most as many as are then free, so that the
 * slowest user always leaves room. A single user can have half of all, two a third each.
 */
export const isFairShare = (own: number, free: number, more = 1): boolean => own + more <= free;
