import { parentPort, workerData } from 'node:worker_threads';
import type { HostileRequest } from './hostile-inputs.ts';

/** Sends the request of `workerData` over and over until the thread is ended, and tells the status of each answer. */
const { url, request, atOnce } = workerData as { url: string; request: HostileRequest; atOnce: number };
const body = request.body === undefined ? undefined : Buffer.from(request.body);

async function sendOn(): Promise<never> {
  for (;;) {
    try {
      const { method, path, headers } = request;
      const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
      await answer.arrayBuffer();
      parentPort?.postMessage(answer.status);
    } catch {
      parentPort?.postMessage(0);
    }
  }
}

await Promise.all(Array.from({ length: atOnce }, sendOn));
