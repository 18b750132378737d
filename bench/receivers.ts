import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Helper, startHelper, startProgram } from './helper.ts';
import type { Listen, ReceiverCommands } from './receiver-process.ts';

/** Language of the receiver: bench/receiver-process.ts or bench/receiver.go, which take the same commands. */
export const LANGUAGES = ['node', 'go'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The receiver of a scenario: the run's own one, the same one behind TLS, or one in Go beside it. */
export type ReceiverKind = 'plain' | 'tls' | 'go';

/** A receiver and its endpoints, each an origin of its own. */
export type Receiver = { receiver: Helper<ReceiverCommands>; endpoints: readonly string[] };

/** A URL for each of `subscriptions`, spread over the first `count` endpoints. */
export const urlsAt = (endpoints: readonly string[], subscriptions: number, count: number): string[] =>
  Array.from({ length: subscriptions }, (_, at) => `${endpoints[at % count]}/${at}`);

const ENDPOINTS = 10;
const run = promisify(execFile);

/** Whether this machine can compile the receiver in Go, which reads its clock as Linux does. */
export async function hasGo(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return run('go', ['version']).then(
    () => true,
    () => false,
  );
}

/** Starts a receiver in a process of its own; the one in Go is compiled into `folder` first. */
export async function startReceiver(language: Language, folder: string): Promise<Helper<ReceiverCommands>> {
  if (language === 'node') return startHelper('receiver-process');
  const program = join(folder, 'receiver');
  await run('go', ['build', '-o', program, fileURLToPath(new URL('./receiver.go', import.meta.url))]);
  return startProgram(program);
}

/** Opens ten endpoints, with https where there is a certificate for them. */
export async function openEndpoints(receiver: Helper<ReceiverCommands>, tls?: Listen['tls']): Promise<string[]> {
  const ports = await receiver.ask('listen', { count: ENDPOINTS, ...(tls && { tls }) });
  return ports.map((port) => `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`);
}
