import { listenForStop, Stopped } from './process/roles/serving/stop-request.ts';

// The first statement, and everything else is loaded behind it: loading takes a third of a second, in which a signal would be lost.
const stop = listenForStop();
(await import('./process/heap.ts')).keepHeapSmall();
const { readEnvironmentFile } = await import('./platform/config/config.ts');
const { createCommandLine } = await import('./process/command-line.ts');
const { visible } = await import('./process/roles/printing.ts');

/** `text` may contain what another program or a caller has said. */
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
