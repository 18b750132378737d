import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { listeningPorts, findFreePort } from '../../local/ports.ts';
import { identifyProcess, readCommandLine, readIdentity } from '../../local/process-identity.ts';
import { readRunningState } from '../../src/process/roles/serving/running-state.ts';
import { signTokenRequest } from '../../src/identity/credentials/tokens/service.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { makeProof, newProofKey } from '../support/make/dpop-proofs.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { makeDataFolder } from '../support/service/own-servers.ts';
import { type ApiProcess, endAllProcesses, startWholeProcess } from '../support/service/processes.ts';
import { childrenOf, holderOf, shownProcesses, untilAllRun } from '../support/service/service-processes.ts';
import { type Caller, createCaller } from '../support/world/caller.ts';
import { idsOf, openStream } from '../support/world/stream-reader.ts';

// The tests of this file are the life of one installation with three service processes, in order.
const SEVERAL = { PROCESSES: '3' };
// A process that drained instead of ending would have up to 35 s, and one that looked for its supervisor by the lease 10 s.
const ENDS_AT_ONCE_MS = 10_000;
const dataFolder = makeDataFolder();
const callers: Caller[] = [];
let port: number;
let posthorn: ApiProcess;
let key: string;

beforeAll(async () => {
  port = await findFreePort();
  posthorn = await startWholeProcess(dataFolder, port, SEVERAL);
  key = /test {2}(svc_test_\w+)/.exec(posthorn.output())?.[1] ?? '';
}, 200_000);
afterEach(() => {
  for (const caller of callers.splice(0)) caller.close();
});
afterAll(async () => {
  if (!posthorn.hasEnded()) await posthorn.end('SIGTERM');
  await endAllProcesses();
  rmSync(dataFolder, { recursive: true, force: true });
}, 100_000);

/** A caller with a connection of its own, and the process that has it. */
async function call(): Promise<{ caller: Caller; pid: number }> {
  const caller = createCaller(posthorn.url);
  callers.push(caller);
  await caller.call('GET', '/healthz');
  const pids = childrenOf(posthorn.pid);
  const pid = await waitFor('the connection to be with a process', () => holderOf(pids, port, caller.port()));
  return { caller, pid };
}

/** Callers that reach every process. */
async function callAll(): Promise<Caller[]> {
  const [found, pids] = [new Map<number, Caller>(), childrenOf(posthorn.pid)];
  await waitFor('a connection to each process', async () => {
    const { caller, pid } = await call();
    if (!found.has(pid)) found.set(pid, caller);
    return found.size === pids.length;
  });
  return [...found.values()];
}

async function createKey(limits: Record<string, number> = {}): Promise<{ id: string; key: string }> {
  const { caller } = await call();
  const { body } = await caller.call('POST', '/v1/api-keys', { key, body: { name: 'short-lived', limits } });
  // `as`: as every created key.
  return body as { id: string; key: string };
}

test('connections are spread evenly, and whichever process answers shows all of them', async () => {
  const shown = await shownProcesses(posthorn.url);
  const pids = childrenOf(posthorn.pid);
  expect(shown).toEqual(
    [1, 2, 3].map((number) => ({ number, pid: expect.any(Number), state: 'running', restarts: 0 })),
  );
  expect(new Set(shown.map(({ pid }) => pid))).toEqual(new Set(pids));
  const counts = new Map(pids.map((pid) => [pid, 0]));
  for (let n = 0; n < 30; n += 1) {
    const { caller, pid } = await call();
    counts.set(pid, (counts.get(pid) ?? 0) + 1);
    if (n < 6) expect((await caller.call('GET', '/readyz')).body).toMatchObject({ status: 'ready', processes: shown });
  }
  // A process that has not answered its last connection yet is passed over.
  for (const count of counts.values()) expect(count).toBeGreaterThanOrEqual(5);
});

test('a limit holds for all of them together, and the headers count down without a gap', async () => {
  const limited = await createKey();
  const all = await callAll();
  const answers = await Promise.all(
    [...all, ...all, ...all, ...all].map((caller) =>
      caller.call('POST', '/v1/messages/transactional', { key: limited.key, body: {} }),
    ),
  );
  const ofStatus = (status: number) => answers.filter((answer) => answer.status === status);
  // A body that is refused counts as well.
  expect([ofStatus(400).length, ofStatus(429).length]).toEqual([10, 2]);
  const remaining = ofStatus(400).map((answer) => Number(answer.headers['x-ratelimit-remaining']));
  expect(remaining.toSorted((one, other) => other - one)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('a POST that all get at once under one Idempotency-Key is done once', async () => {
  const all = await callAll();
  const answers = await Promise.all(
    [...all, ...all].map((caller) =>
      caller.call('POST', '/v1/channels', { key, body: { name: 'once' }, idempotencyKey: 'several-processes' }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  // `as`: as every created channel.
  expect(new Set(answers.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
});

/** A process that stands still for two seconds is not waited for; within five at most each has forgotten what it believed. */
const untilAll = (status: number, ask: () => Promise<number[]>): Promise<unknown> =>
  waitFor(`all to answer ${status}`, async () => (await ask()).every((each) => each === status), 4_500);

test('a revoked or rotated key is refused at once by every process, and so is what a changed one may no longer do', async () => {
  const all = await callAll();
  const [revoked, rotated, changed] = [await createKey(), await createKey(), await createKey()];
  const statuses = async (used: string): Promise<number[]> =>
    Promise.all(all.map(async (caller) => (await caller.call('GET', '/v1/channels', { key: used })).status));
  for (const { key: used } of [revoked, rotated, changed]) expect(await statuses(used)).toEqual([200, 200, 200]);
  const [one] = all;
  expect((await one?.call('DELETE', `/v1/api-keys/${revoked.id}`, { key }))?.status).toBe(204);
  await untilAll(401, () => statuses(revoked.key));
  expect((await one?.call('POST', `/v1/api-keys/${rotated.id}/rotate`, { key }))?.status).toBe(200);
  await untilAll(401, () => statuses(rotated.key));
  const change = { key, body: { scopes: ['messages:read'] } };
  expect((await one?.call('PATCH', `/v1/api-keys/${changed.id}`, change))?.status).toBe(200);
  await untilAll(403, () => statuses(changed.key));
});

test('processes agree on access tokens and used proofs, and forget a revoked or changed machine credential at once', async () => {
  const all = await callAll();
  // `as`: one for each of the three processes.
  const [one, other] = all as [Caller, Caller, Caller];
  const base = `http://localhost:${port}`;
  const path = '/v1/channels';
  const holder = await newProofKey();
  const getToken = async (asking: Caller): Promise<{ id: string; token: string }> => {
    const { body: made } = await one.call('POST', '/v1/machine-credentials', { key, body: { name: 'till' } });
    // `as`: as every created machine credential.
    const { id, clientSecret } = made as { id: string; clientSecret: string };
    const dpop = await makeProof(holder, { method: 'POST', uri: `${base}/oauth/token` });
    const grant = { grant_type: 'client_credentials', client_id: id };
    const body = { ...grant, client_secret: signTokenRequest(clientSecret, id, dpop) };
    const { body: answer } = await asking.call('POST', '/oauth/token', { body, headers: { dpop } });
    // `as`: as every token.
    return { id, token: (answer as { access_token: string }).access_token };
  };
  const prove = (token: string): Promise<string> => makeProof(holder, { method: 'GET', uri: base + path, token });
  const statuses = (token: string, proof?: string): Promise<number[]> =>
    Promise.all(
      all.map(async (caller) => {
        const headers = { authorization: `DPoP ${token}`, dpop: proof ?? (await prove(token)) };
        return (await caller.call('GET', path, { headers })).status;
      }),
    );
  const [revoked, changed] = [await getToken(one), await getToken(other)];
  for (const { token } of [revoked, changed]) expect(await statuses(token)).toEqual([200, 200, 200]);
  const once = await statuses(changed.token, await prove(changed.token));
  expect(once.toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  expect((await one.call('DELETE', `/v1/machine-credentials/${revoked.id}`, { key })).status).toBe(204);
  await untilAll(401, () => statuses(revoked.token));
  const change = { key, body: { scopes: ['messages:read'] } };
  expect((await one.call('PATCH', `/v1/machine-credentials/${changed.id}`, change)).status).toBe(200);
  await untilAll(403, () => statuses(changed.token));
});

test('a stream shows what any process takes in; the places of a killed process are free at once, and it is started again', async () => {
  const { key: used } = await createKey({ concurrent: 3 });
  const { caller } = await call();
  const { body } = await caller.call('POST', '/v1/channels', { key: used, body: { name: 'streamed' } });
  // `as`: as every created channel.
  const { id } = body as { id: string };
  const url = `${posthorn.url}/v1/channels/${id}/stream`;
  const streams = [await openStream({ url, key: used }), await openStream({ url, key: used })];
  const pids = childrenOf(posthorn.pid);
  const holders = streams.map(({ port: own }) => holderOf(pids, port, own));
  expect(new Set(holders).size).toBe(2);
  const message = { key: used, body: { eventType: 'order.created', payload: {} } };
  const all = await callAll();
  for (const each of all) expect((await each.call('POST', `/v1/channels/${id}/messages`, message)).status).toBe(202);
  for (const stream of streams) expect(new Set(idsOf({ events: await stream.waitForEvents(3) })).size).toBe(3);

  // The two streams have two of the three places; one request beside them takes the last.
  const third = await openStream({ url, key: used });
  expect((await caller.call('GET', '/v1/channels', { key: used })).status).toBe(429);
  const killed = holders[0] ?? 0;
  process.kill(killed, 'SIGKILL');
  await streams[0]?.waitForEnd();
  const { caller: another } = await call();
  await waitFor('the place to be free', async () => {
    const { status } = await another.call('GET', '/v1/channels', { key: used });
    return status === 200;
  });
  expect(third.end()).toBeUndefined();
  for (const stream of [...streams, third]) stream.close();

  const shown = await untilAllRun(posthorn.url, { but: [killed] });
  expect(shown.map(({ restarts }) => restarts).toSorted((one, other) => one - other)).toEqual([0, 0, 1]);
  expect(posthorn.output()).toMatch(/"msg":"process \d of 3 ended \(SIGKILL\); restarting it"/);
});

test('a connection that a process was given and had not taken when it was killed is answered by another', async () => {
  const pids = childrenOf(posthorn.pid);
  const held = pids[0] ?? 0;
  process.kill(held, 'SIGSTOP');
  // By turns, so that one of them is given to the process that stands still.
  const statuses: number[] = [];
  const answered = pids.flatMap(() =>
    [0, 1].map(async () => {
      const caller = createCaller(posthorn.url);
      callers.push(caller);
      statuses.push((await caller.call('GET', '/healthz')).status);
    }),
  );
  await waitFor('all but one to be answered', () => statuses.length === answered.length - 1);
  process.kill(held, 'SIGKILL');
  await Promise.all(answered);
  expect(statuses).toEqual(answered.map(() => 200));
  await untilAllRun(posthorn.url, { but: [held] });
});

test('no process sends to the ports that a restarted Temporal has taken for itself', async () => {
  const temporal = () => readIdentity(join(dataFolder, 'state', 'temporal.pid.json'))?.pid ?? 0;
  const before = temporal();
  process.kill(before, 'SIGKILL');
  await waitFor('Temporal to be started again', () => temporal() !== before && temporal() !== 0);
  const all = await callAll();
  const { body } = await all[0]!.call('POST', '/v1/channels', { key, body: { name: 'own ports' } });
  // `as`: as every created channel.
  const { id: channelId } = body as { id: string };
  await waitFor('its inner ports to be no targets', async () => {
    const words = readCommandLine(temporal()).split(' ');
    const inner = listeningPorts(temporal()).filter((each) => !words.includes(String(each)));
    const answers = await Promise.all(
      all.flatMap((caller) =>
        inner.map((each) =>
          caller.call('POST', '/v1/subscriptions', {
            key,
            body: { channelId, webhookUrl: `http://127.0.0.1:${each}/` },
          }),
        ),
      ),
    );
    return inner.length > 0 && answers.every(({ status }) => status === 400);
  });
});

test('kill -9 of the supervisor ends its processes; the next start takes the servers over, and SIGTERM stops everything in order', async () => {
  const pids = childrenOf(posthorn.pid);
  expect(pids).toHaveLength(3);
  const server = readRunningState(dataFolder)?.pids.postgres ?? 0;
  const killedAt = performance.now();
  await posthorn.end('SIGKILL');
  await waitFor('its processes to end', () => pids.every((pid) => identifyProcess(pid) === undefined));
  const endedMs = performance.now() - killedAt;
  process.stdout.write(`the processes ended ${Math.round(endedMs)} ms after kill -9 of their supervisor\n`);
  expect(endedMs).toBeLessThan(ENDS_AT_ONCE_MS);
  // Nothing else told them: nobody signalled them, and the PostgreSQL that they work with goes on.
  expect(identifyProcess(server)).toBeDefined();

  posthorn = await startWholeProcess(dataFolder, port, SEVERAL);
  expect(posthorn.output()).toContain('Ended the PostgreSQL server that an earlier start had left running');
  const { caller } = await call();
  expect((await caller.call('GET', '/v1/channels', { key })).status).toBe(200);
  const { postgres, temporal } = readRunningState(dataFolder)?.pids ?? {};
  const all = [...childrenOf(posthorn.pid), postgres ?? 0, temporal ?? 0];
  expect(all).toHaveLength(5);
  expect((await posthorn.end('SIGTERM')).exitCode).toBe(0);
  expect(posthorn.output()).toMatch(/Draining.*\nStopped\n$/);
  await waitFor('everything to end', () => all.every((pid) => identifyProcess(pid) === undefined));
  expect((await runPosthorn(['keys', 'list'], { DATA_FOLDER: dataFolder })).exitCode).toBe(1);
}, 200_000);
