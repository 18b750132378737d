import { findBrowser } from '../world/found-browser.ts';
import { ensureBuilt } from './ensure-built.ts';
import { announceRun } from './run.ts';
import { startServers, type TestServers } from './servers.ts';

/** The global teardown, which jest loads as another module, finds the servers here. */
export type GlobalWithServers = typeof globalThis & { posthornTestServers?: TestServers };

/** Runs once per jest run, before the first test file. An error fails the run. */
export default async function setUp(): Promise<void> {
  // Once for all processes and workers of the run: running from source would cost each of them seconds.
  ensureBuilt((line) => void process.stderr.write(`${line}\n`));
  const [servers] = await Promise.all([startServers(), findBrowser()]);
  const holder: GlobalWithServers = globalThis;
  holder.posthornTestServers = servers;
  announceRun(servers);
}
