import { Command, Option } from 'commander';
import { isApiError } from '../client/src/index.ts';
import { readEnvironmentFile } from '../src/config.ts';
import { type Api, createApi } from './api.ts';
import { planOf } from './expected.ts';
import { isRight, toTable } from './figures.ts';
import { workflowOf } from './automation.ts';
import { findService, type Service } from './find-service.ts';
import { loadPayloads } from './payloads.ts';
import { createProgress } from './progress.ts';
import { startReceiver } from './receiver.ts';
import { runDemo } from './run.ts';

// A person's Ctrl-C ends the demo like a failure does: its channel and key are removed.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

readEnvironmentFile();
await new Command('npm run demo --')
  .description('publish real GitHub webhooks to a running service, and count what becomes of them')
  .addOption(new Option('--url <url>', 'the service; default: the `npm start` of this checkout').env('POSTHORN_URL'))
  .addOption(new Option('--key <key>', 'an API key; default: makes one and revokes it').env('POSTHORN_KEY'))
  .action(async (given: { url?: string; key?: string }) => {
    try {
      if (!(await demonstrate(await findService(given)))) process.exitCode = 1;
    } catch (failure) {
      process.exitCode = 1;
      if (stopping.signal.aborted) return console.error('demo: stopped');
      const causes: string[] = [];
      for (let at: unknown = failure; at instanceof Error; at = at.cause)
        causes.push(isApiError(at) ? `${at.code}: ${at.message}` : at.message);
      console.error(`demo: ${causes.join('\n  because: ') || String(failure)}`);
    }
  })
  .parseAsync();

/** Runs the demo against that service and prints the table. Returns whether every figure is right. */
async function demonstrate(service: Service): Promise<boolean> {
  const api = createApi(service);
  const payloads = loadPayloads();
  const receiver = await startReceiver({ payloads, planOf });
  let channelId: string | undefined;
  let workflowId: string | undefined;
  try {
    console.log(`${payloads.length} GitHub webhooks to ${service.url}, received at ${receiver.urlOf('')}`);
    channelId = (await api.createChannel('Demo: GitHub webhooks')).id;
    workflowId = (await api.createWorkflow(workflowOf(channelId, receiver.urlOf('workflow')))).id;
    const progress = createProgress(process.stdout);
    const made = { channelId, workflowId };
    const figures = await runDemo({ api, receiver, payloads, ...made, progress, signal: stopping.signal });
    console.log(`\n${toTable(figures).join('\n')}\n`);
    for (const problem of receiver.problems.slice(0, 5)) console.error(problem);
    const isGood = figures.every(isRight);
    console.log(isGood ? 'Every figure is what it must be' : 'Some figures are not what they must be');
    return isGood;
  } finally {
    await cleanUp(api, { channelId, workflowId, keyId: service.ownKeyId });
    await receiver.close();
  }
}

/** The channel takes its subscriptions and unfinished deliveries with it; the key goes last, since it deletes the channel. */
async function cleanUp(
  api: Api,
  {
    channelId,
    workflowId,
    keyId,
  }: { channelId: string | undefined; workflowId: string | undefined; keyId: string | undefined },
): Promise<void> {
  try {
    if (workflowId !== undefined) await api.deleteWorkflow(workflowId);
    if (channelId !== undefined) await api.deleteChannel(channelId);
    if (keyId !== undefined) await api.revokeKey(keyId);
  } catch (failure) {
    console.error(`demo: could not clean up: ${String(failure)}`);
    process.exitCode = 1;
  }
}
