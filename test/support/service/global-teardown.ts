import type { GlobalWithServers } from './global-setup.ts';

/** Runs once per jest run, after the last test file. */
export default async function tearDown(): Promise<void> {
  const holder: GlobalWithServers = globalThis;
  await holder.posthornTestServers?.stop();
}
