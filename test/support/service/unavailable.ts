/** A program from outside of the npm packages cannot be had on this machine: its installer is missing, or could not fetch or build it. */
export class ProgramUnavailable extends Error {}

/**
 * Exit code of a `--prepare` that misses a program; `.ci/run` leaves the step out for this one alone. EX_UNAVAILABLE of sysexits.h: Node
 * ends with 1 to 13 for faults of its own, bash with 126 and 127 for a command that it cannot run, and with 128 and more for a signal.
 */
const EX_UNAVAILABLE = 69;

/** Exit code of a `--prepare`: 0, or EX_UNAVAILABLE once the missing program is told. Every other failure is thrown on. */
export function prepareBy(find: () => void, print: (line: string) => void): number {
  try {
    find();
    return 0;
  } catch (failure) {
    if (!(failure instanceof ProgramUnavailable)) throw failure;
    print(failure.message);
    return EX_UNAVAILABLE;
  }
}
