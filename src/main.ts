import { listenForStop, Stopped } from './process/roles/serving/stop-request.ts';

// Must be the first statement, and everything else is loaded after it: loading takes a third of a second, during which a signal would
// be lost.
const stop = listenForStop();
(await import('./process/heap.ts')).keepHeapSmall();
const { readEnvironmentFile } = await import('./platform/config/config.ts');
const { createCommandLine } = await import('./process/command-line.ts');
const { visible } = await import('./process/roles/printing.ts');

/** `text` may contain the output of another program or of a caller. */
function complain(text: string): void {
  process.stderr.write(visible(text, { keepLines: true }));
}

try {
  readEnvironmentFile();
  await createCommandLine(stop, complain).parseAsync();
} catch (failure) {
  process.exitCode = failure instanceof Stopped ? failure.exitCode : 1;
  const { sentenceOf } = await import('./process/roles/printing.ts');
  complain(`posthorn: ${sentenceOf(failure)}\n`);
  process.exit();
}
