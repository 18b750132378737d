/** A program from outside the npm packages is not available on this machine: its installer is missing, or could not fetch or build it. */
export class ProgramUnavailable extends Error {}

/**
 * Exit code of a `--prepare` whose program is unavailable; `.ci/run` skips the step only for this code. EX_UNAVAILABLE of sysexits.h:
 * Node exits with 1 to 13 for its own errors, bash with 126 and 127 for a command that it cannot run, and with 128 and more for a
 * signal.
 */
const EX_UNAVAILABLE = 69;

/** Returns the exit code of a `--prepare`: 0, or EX_UNAVAILABLE after printing the missing program. Throws every other failure. */
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
