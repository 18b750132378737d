import { fileURLToPath } from 'node:url';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/service/database.ts';
import { makeDataFolder, startOwnTemporal } from '../../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../../support/service/own-service.ts';
import { type ApiProcess, startService } from '../../support/service/processes.ts';
import { github, SECRET } from '../../support/make/inbound-calls.ts';
import { workflowCalls } from '../../support/make/workflow-calls.ts';
import { requestsTo } from '../../support/world/process-calls.ts';
import { type Receiver, startReceiver } from '../../support/world/receiver.ts';
import { waitFor } from '../../support/check/wait-for.ts';

// Three deaths of each of four kinds, starts between them, and pauses that grow to 15 s.
const ENDS_WITHIN_MS = 400_000;
const POISON = fileURLToPath(new URL('poison.ts', import.meta.url));
const YEARLY = '0 0 1 1 *';

/**
 * A drill in which stored work ends each process that takes it up: a run, a delivery, a schedule and an inbound mapping at once. Old: every
 * start took them up before it was ready, and died of them again.
 */
export function drillDeadlyWork(processes: '1' | '3'): void {
  const dataFolder = makeDataFolder();
  let database: TestDatabase;
  let service: OwnService;
  let posthorn: ApiProcess;
  let receiver: Receiver;
  let [starts, brokenStarts, isOver] = [0, 0, false];
  let keeping: Promise<void> | undefined;

  /** Processes that the supervisor has replaced so far. */
  const replaced = (): number => posthorn.output().split('; restarting it').length - 1;

  const { request } = requestsTo(() => ({ url: posthorn.url, key: service.key }));
  const patient = {
    /** Until it is answered: with one process nobody answers between two of its starts. */
    request: <T>(...given: Parameters<typeof request<T>>) =>
      waitFor(`${given[0]} ${given[1]}`, () => request<T>(...given).catch(() => undefined), ENDS_WITHIN_MS),
  };
  // `as`: the calls use nothing else of a test's service.
  const calls = workflowCalls(patient as Parameters<typeof workflowCalls>[0]);

  /** As systemd or Kubernetes do: a service that has ended is started again, and each start must become ready. */
  const keepRunning = async (): Promise<void> => {
    while (!isOver) {
      if (posthorn.hasEnded()) {
        starts += 1;
        try {
          posthorn = await startService(service.settings, posthorn.port);
        } catch (failure) {
          // Work that ends a process is taken up as soon as it is ready, often before anybody could see that it was.
          if (!String(failure).includes('Posthorn is ready')) brokenStarts += 1;
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
      NODE_OPTIONS: `--import=${POISON}`,
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

  test('a run, a delivery, a schedule and an inbound mapping that end each process are given up after three deaths, and all others go on', async () => {
    const channelId = await calls.channel();
    const subscription = { channelId, webhookUrl: receiver.url };
    await calls.good('POST', '/v1/subscriptions', subscription);
    const note = { id: 'note', type: 'transform', config: { set: { seen: '{{event.payload.text}}' } } };
    const workflowId = await calls.activate({ type: 'manual' }, [note]);
    const webhook = await calls.good<{ id: string }>('POST', '/v1/webhooks', {
      name: 'in',
      channelId,
      provider: 'github',
      secrets: [SECRET],
    });
    // A repeated test begins with the service as the first one left it.
    [starts, brokenStarts] = [0, 0];
    const replacedBefore = replaced();
    keeping ??= keepRunning();

    const deadly = await calls.publish(channelId, { text: 'poison-delivery' });
    const run = await calls.start(workflowId, { text: 'poison-run' });
    const scheduled = await calls.activate(
      { type: 'schedule', config: { cron: YEARLY, payload: { text: 'poison-schedule' } } },
      [note],
    );
    const body = '{"text":"poison-inbound"}';
    const send = (): Promise<{ status: number; body: { error?: { message: string } } } | undefined> =>
      request<{ error?: { message: string } }>('POST', `/v1/webhooks/${webhook.id}`, JSON.parse(body), {
        ...github(body, 'one'),
        authorization: '',
      }).catch(() => undefined);
    const refused = waitFor(
      'the inbound request to be refused',
      async () => {
        const answer = await send();
        return answer?.status === 409 && answer;
      },
      ENDS_WITHIN_MS,
    );

    // Other work goes on meanwhile, whose processes may be killed while it is under way.
    const healthy = Array.from({ length: 10 }, (_, n) => `healthy ${n}`);
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
    const letter = await waitFor(
      'the dead letter of the delivery',
      async () =>
        (await database.pool.query('SELECT reason, error_class FROM dead_letters WHERE message_id = $1', [deadly]))
          .rows[0],
      ENDS_WITHIN_MS,
    );
    expect(letter).toEqual({ reason: 'internal', error_class: 'crashed' });
    const { problem } = await waitFor(
      'the schedule to be refused',
      async () => {
        const times = await calls.good<{ problem?: string }>('GET', `/v1/workflows/${scheduled}/schedule`);
        return times.problem !== undefined && times;
      },
      ENDS_WITHIN_MS,
    );
    expect(problem).toMatch(/^CRASHED: the process stopped 3 times/);
    expect((await refused).body.error?.message).toContain('the process stopped 3 times');
    const refusals = await calls.good<{ data: { reason: string }[] }>('GET', `/v1/webhooks/${webhook.id}/refusals`);
    expect(refusals.data).toContainEqual(expect.objectContaining({ reason: 'crashed' }));

    for (const { id } of others) expect((await untilEnded(id)).status).toBe('completed');
    for (const text of healthy)
      await waitFor(`the delivery of ${text}`, () => receiver.requests.some((each) => each.body.includes(text)));
    const { rows } = await database.pool.query(
      'SELECT id FROM dead_letters WHERE message_id <> $1 AND channel_id = $2',
      [deadly, channelId],
    );
    expect(rows).toEqual([]);
    // One process starts anew after each death; a supervisor has replaced its processes, and never ended itself.
    const deaths = processes === '1' ? starts : replaced() - replacedBefore;
    expect(processes === '1' || starts === 0).toBe(true);
    expect(deaths).toBeGreaterThanOrEqual(4);
    // Three of each, and one more where nothing was on record yet when the process died: a first try, or a lease that had not run out.
    expect(deaths).toBeLessThanOrEqual(16);
    // The API listens before the rest is ready: the first inbound request of all may come then.
    expect(brokenStarts).toBeLessThanOrEqual(1);
  }, 500_000);

  test('a run that ends each process can be cancelled while it pauses', async () => {
    const note = { id: 'note', type: 'transform', config: { set: { seen: '{{event.payload.text}}' } } };
    const workflowId = await calls.activate({ type: 'manual' }, [note]);
    const run = await calls.start(workflowId, { text: 'poison-run' });
    await waitFor(
      'a death of the run',
      async () => (await database.pool.query('SELECT FROM work_deaths WHERE id = $1', [run.id])).rowCount === 1,
      ENDS_WITHIN_MS,
    );
    await calls.good('POST', `/v1/runs/${run.id}/cancel`);
    const ended = await waitFor(
      'the run to end',
      async () => {
        const found = await calls.getRun(run.id);
        return !['pending', 'running'].includes(found.status) && found;
      },
      ENDS_WITHIN_MS,
    );
    expect(ended.status).toBe('cancelled');
  }, 500_000);
}
