/**
 * Returns milliseconds of the machine's monotonic clock, with fractions. Linux and macOS give every process the same one, so the time
 * from a publish in one process to the arrival in another is a difference of two of these; `Date.now()` may step and has whole ms.
 */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
