import { fileURLToPath } from 'node:url';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/service/database.ts';
import { makeDataFolder, startOwnTemporal } from '../../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../../support/service/own-service.ts';
import { type ApiProcess, startService } from '../../support/service/processes.ts';
import { workflowCalls } from '../../support/make/workflow-calls.ts';
import { requestsTo } from '../../support/world/process-calls.ts';
import { type Receiver, startReceiver } from '../../support/world/receiver.ts';
import { waitFor } from '../../support/check/wait-for.ts';

// Three loops of 30 s each, a start behind each of them, and pauses that grow to 15 s.
const ENDS_WITHIN_MS = 400_000;
const LOOP = fileURLToPath(new URL('loop.ts', import.meta.url));
const ENDED = {
  '1': 'posthorn: the event loop has been blocked for 30 s, so this process kills itself with SIGKILL',
  '3': 'a service process was silent for 30 s, so it hangs; killing and restarting it',
};

/**
 * A drill in which a run never ends an evaluation, and so stops the event loop of each process that takes it up. Old: the one process of
 * PROCESSES 1 answered nobody any more, and nothing ended it.
 */
export function drillEndlessLoop(processes: '1' | '3'): void {
  const dataFolder = makeDataFolder();
  let database: TestDatabase;
  let service: OwnService;
  let posthorn: ApiProcess;
  let receiver: Receiver;
  let isOver = false;
  let keeping: Promise<void> | undefined;
  /** Services that have ended with the line of the watchdog. */
  let endedServices = 0;

  const { request } = requestsTo(() => ({ url: posthorn.url, key: service.key }));
  const patient = {
    /** Until it is answered: nobody answers while the event loop of the only process stands still, or between two of its starts. */
    request: <T>(...given: Parameters<typeof request<T>>) =>
      waitFor(`${given[0]} ${given[1]}`, () => request<T>(...given).catch(() => undefined), ENDS_WITHIN_MS),
  };
  // `as`: the calls use nothing else of a test's service.
  const calls = workflowCalls(patient as Parameters<typeof workflowCalls>[0]);
  /** Processes that were ended so far: each is a service of its own, or one that its supervisor has replaced. */
  const ends = (): number => (processes === '1' ? endedServices : posthorn.output().split(ENDED[processes]).length - 1);

  /** As systemd or Kubernetes do: a service that has ended is started again. */
  const keepRunning = async (): Promise<void> => {
    let isCounted = false;
    while (!isOver) {
      if (posthorn.hasEnded()) {
        if (!isCounted && posthorn.output().includes(ENDED['1'])) endedServices += 1;
        isCounted = true;
        try {
          posthorn = await startService(service.settings, posthorn.port);
          isCounted = false;
        } catch (failure) {
          // The run is taken up as soon as the service is ready, often before anybody could see that it was.
          if (!String(failure).includes(ENDED['1'])) throw failure;
          endedServices += 1;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    const temporal = await startOwnTemporal(dataFolder);
    service = await prepareOwnService(database.url, temporal, {
      PROCESSES: processes,
      DATA_FOLDER: dataFolder,
      NODE_OPTIONS: `--import=${LOOP}`,
    });
    receiver = await startReceiver();
    posthorn = await startService(service.settings);
  }, 150_000);
  afterAll(async () => {
    isOver = true;
    await keeping;
    await service.end();
    await receiver.close();
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  }, 150_000);

  test('a run that loops without end is given up after three ends of processes, and all others go on', async () => {
    const channelId = await calls.channel();
    await calls.good('POST', '/v1/subscriptions', { channelId, webhookUrl: receiver.url });
    const note = { id: 'note', type: 'transform', config: { set: { seen: '{{event.payload.text}}' } } };
    const workflowId = await calls.activate({ type: 'manual' }, [note]);
    keeping ??= keepRunning();
    // A start that fails for another reason is told at the end.
    keeping.catch(() => undefined);

    const run = await calls.start(workflowId, { text: 'loop-run' });
    const healthy = Array.from({ length: 5 }, (_, n) => `healthy ${n}`);
    for (const text of healthy) await calls.publish(channelId, { text });
    const others = await Promise.all(healthy.map((text) => calls.start(workflowId, { text })));

    const untilEnded = (id: string) =>
      waitFor(
        `run ${id} to end`,
        async () => {
          const found = await calls.getRun(id);
          return ['completed', 'failed'].includes(found.status) && found;
        },
        ENDS_WITHIN_MS,
      );
    expect(await untilEnded(run.id)).toMatchObject({ status: 'failed', error: { code: 'CRASHED' } });
    for (const { id } of others) expect((await untilEnded(id)).status).toBe('completed');
    for (const text of healthy)
      await waitFor(`the delivery of ${text}`, () => receiver.requests.some((each) => each.body.includes(text)));
    // Three, and one more where nothing was on record yet. A process whose loop outlives the run is still to be ended.
    await waitFor('three processes to be ended', () => ends() >= 3, ENDS_WITHIN_MS);
    expect(ends()).toBeLessThanOrEqual(4);
  }, 500_000);
}
