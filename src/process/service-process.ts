import { listenUnderSupervisor } from './roles/serving/stop-request.ts';

// Must be the first statement, as in main.ts, so that a signal is noticed while the rest loads.
const stop = listenUnderSupervisor();
(await import('./heap.ts')).keepHeapSmall();
const { joinSupervisor, sayFailure } = await import('./supervisor/join.ts');

/** One of several processes of `start`, `api` or `worker`: runs what its supervisor has assigned to it. */
try {
  const joined = await joinSupervisor(stop.request);
  const { runServiceProcess } = await import('./roles/run-service.ts');
  process.exit(await runServiceProcess(joined, stop));
} catch (failure) {
  const { sentenceOf } = await import('./roles/printing.ts');
  await sayFailure(sentenceOf(failure));
  process.exit(1);
}
