/**
 * Runs the main function of a command to its end, and ends the process: with the code that main has set (process.exitCode), or with 1 and
 * the stack on stderr if it throws.
 */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
    process.exit();
  } catch (failure) {
    console.error(failure instanceof Error ? failure.stack : failure);
    process.exit(1);
  }
}
