import { announceRun } from './run.ts';
import { startServers, type TestServers } from './servers.ts';

/** The global tear-down, which jest loads as another module, finds the servers here. */
export type GlobalWithServers = typeof globalThis & { posthornTestServers?: TestServers };

/** Runs once per jest run, before the first test file. An error fails the run. */
export default async function setUp(): Promise<void> {
  const servers = await startServers();
  const holder: GlobalWithServers = globalThis;
  holder.posthornTestServers = servers;
  announceRun(servers);
}
