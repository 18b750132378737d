import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createAttacker } from './attacker.ts';
import { HOSTILE_INPUTS, ORDINARY } from './table.ts';

/**
 * Sends one input of the table over and over until the thread is ended, and posts each answer. Posts `ready` before the first. The work of
 * sending is not what is measured: the thread has the least claim on a processor.
 */
const { url, key, name, atOnce } = workerData as { url: string; key: string; name: string; atOnce: number };
setPriority(10);
const input = [...HOSTILE_INPUTS, ORDINARY].find((each) => each.name === name);
if (input === undefined) throw new Error(`There is no input ${name}`);
const send = await input.begin(createAttacker(url, key));
parentPort?.postMessage('ready');
let sent = 0;

async function sendOn(): Promise<never> {
  for (;;) {
    const answer = await send(sent++).catch((failure: unknown) => `no answer: ${String(failure)}`.slice(0, 60));
    parentPort?.postMessage(answer);
  }
}

await Promise.all(Array.from({ length: atOnce }, sendOn));
