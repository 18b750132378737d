import { listenUnderSupervisor } from './roles/serving/stop-request.ts';

// The first statement, as in main.ts: a signal while the rest loads is heard.
const stop = listenUnderSupervisor();
(await import('./heap.ts')).keepHeapSmall();
const { joinSupervisor, sayFailure } = await import('./supervisor/join.ts');

/** One of several processes of `start`, `api` or `worker`: it runs what its supervisor has assigned to it. */
try {
  const joined = await joinSupervisor(stop.request);
  const { runServiceProcess } = await import('./roles/run-service.ts');
  process.exit(await runServiceProcess(joined, stop));
} catch (failure) {
  const { sentenceOf } = await import('./roles/printing.ts');
  await sayFailure(sentenceOf(failure));
  process.exit(1);
}
