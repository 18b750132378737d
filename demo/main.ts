import { Command, InvalidArgumentError, Option } from 'commander';
import { isApiError } from '../client/src/index.ts';
import { readEnvironmentFile } from '../src/platform/config/config.ts';
import { type Api, createApi } from './api.ts';
import { planOf } from './expected.ts';
import { isRight, toTable } from './figures.ts';
import { workflowOf } from './automation.ts';
import { findService, type Service } from './find-service.ts';
import { loadPayloads } from './payloads.ts';
import { createProgress } from './progress.ts';
import { startReceiver } from './receiver.ts';
import { runDemo } from './run.ts';
import { type KeepOptions, keepShop, removeKept } from './shop/keep.ts';
import { SCENES } from './shop/scenes.ts';

// Ctrl-C ends the demo as a failure does: its channel and key are removed.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

type Given = Pick<KeepOptions, 'scene' | 'count' | 'rows' | 'live'> & {
  url?: string;
  key?: string;
  env: 'live' | 'test';
  keep: boolean;
  remove: boolean;
};

const parseCount = (text: string): number => {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0 && count <= MOST) return count;
  throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST}`);
};
const MOST = 1_000_000;

readEnvironmentFile();
await new Command('npm run demo --')
  .description(
    'publish real GitHub webhooks to a running service, and count what happens to them; or fill it with a shop',
  )
  .addOption(new Option('--url <url>', 'the service; default: the `npm start` of this checkout').env('POSTHORN_URL'))
  .addOption(new Option('--key <key>', 'an API key; default: creates one and revokes it').env('POSTHORN_KEY'))
  .option('--keep', 'fill an environment with an invented shop, and leave it there', false)
  .addOption(
    new Option('--env <environment>', 'with --keep and --remove, without --key')
      .choices(['live', 'test'])
      .default('test'),
  )
  .addOption(new Option('--scene <scene>', 'with --keep: how the shop is doing').choices(SCENES).default('healthy'))
  .option('--count <number>', 'with --keep: messages to publish', parseCount, 400)
  .option('--rows <number>', 'with --keep: messages of the last 24 hours to insert by SQL', parseCount)
  .option('--live', 'with --keep: go on with receivers and a message a second until Ctrl-C', false)
  .option('--remove', 'remove what --keep has left', false)
  .action(async (given: Given, command: Command) => {
    try {
      for (const name of ['scene', 'count', 'rows', 'live'])
        if (!given.keep && command.getOptionValueSource(name) === 'cli') throw new Error(`--${name} requires --keep`);
      const service = await findService(given, given.keep || given.remove ? given.env : 'test');
      if (given.keep || given.remove) await keepOrRemove(service, given);
      else if (!(await demonstrate(service))) process.exitCode = 1;
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

/** Fills the environment with the shop, or removes it. Only the key is cleaned up. Ctrl-C during `--live` is its regular end. */
async function keepOrRemove(service: Service, given: Given): Promise<void> {
  try {
    if (given.remove) await removeKept(service, console.log);
    if (!given.keep) return;
    const progress = createProgress(process.stdout);
    await keepShop(service, given, { progress, signal: stopping.signal, print: console.log });
  } catch (failure) {
    if (!given.live || !stopping.signal.aborted) throw failure;
  } finally {
    await cleanUp(createApi(service), { channelId: undefined, workflowId: undefined, keyId: service.ownKeyId });
  }
}

/** Runs the demo against that service and prints the table. Returns whether every value is right. */
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

/** Deleting the channel ends its subscriptions and unfinished deliveries; the key goes last, since it deletes the channel. */
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
