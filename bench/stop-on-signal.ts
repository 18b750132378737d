/** On Ctrl-C and an orderly kill the started servers are stopped first: they run in process groups of their own. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The signal comes several times, from the terminal and from the programs that have started this one.
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      void stop().finally(() => process.exit(1));
    });
  }
}
