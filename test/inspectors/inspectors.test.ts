import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { forgetExpired } from '../../src/delivery/queue/recovery/forget-expired.ts';
import type { Inspector } from '../../src/insight/inspectors/schema.ts';
import { SENDER_HEADER } from '../../src/platform/outbound/sign.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { inspectorCalls, type List, type Named, post, type Row } from '../support/make/inspector-calls.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

describe('inspectors', () => {
  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof inspectorCalls>;
  beforeAll(async () => {
    // Neither http nor this machine may be sent to: inspectors are let through all the same.
    posthorn = await startPosthorn({ variables: { ALLOW_HTTP_WEBHOOKS: 'false', WEBHOOK_ALLOW_CIDRS: '' } });
    calls = inspectorCalls(posthorn);
  });
  afterAll(() => posthorn.stop());
  // An environment has at most 20.
  afterEach(() => posthorn.deps.db.inspector.deleteMany());

  describe('a subscription to an inspector', () => {
    test('receives its messages there, and each signature is verified', async () => {
      const { id, url } = await calls.makeInspector();
      const { messageId, subscriptionId, channelId } = await calls.publishTo(url);
      await waitFor('the delivery', async () => {
        const list = await posthorn.request<List<{ status: string }>>('GET', `/v1/deliveries?messageId=${messageId}`);
        return list.body.data[0]?.status === 'delivered';
      });
      const request = await calls.newestOf(id);
      expect(request).toMatchObject({
        method: 'POST',
        path: '',
        signature: { status: 'verified', messageId, subscriptionId },
        answer: { status: 200, delayMs: 0 },
        encoding: 'text',
        isCut: false,
      });
      expect(JSON.parse(request.body)).toMatchObject({ id: messageId, channelId, data: { total: 1 } });
      expect(request.bytes).toBe(Buffer.byteLength(request.body));
      expect(request.headers.map(({ name }) => name.toLowerCase())).toEqual(
        expect.arrayContaining(['webhook-id', 'webhook-timestamp', 'webhook-signature', 'posthorn-hops']),
      );
    });

    test('must not have any other path', async () => {
      const { url } = await calls.makeInspector();
      const channel = await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'orders' });
      for (const webhookUrl of [`${url}/more`, `${posthorn.url}/v1/channels`, `${posthorn.url}/inspect/`]) {
        const body = { channelId: channel.id, webhookUrl };
        const { status, body: refusal } = await posthorn.request('POST', '/v1/subscriptions', body);
        expect([status, refusal]).toMatchObject([400, { error: { details: { field: 'webhookUrl' } } }]);
      }
    });

    test('gets the configured status, and the delivery says so', async () => {
      const { id, url } = await calls.makeInspector({ answer: { status: 410 } });
      const { messageId } = await calls.publishTo(url);
      const letter = await waitFor('the dead letter', async () => {
        const list = await posthorn.request<List<{ reason: string }>>('GET', `/v1/dlq?messageId=${messageId}`);
        return list.body.data[0];
      });
      expect(letter.reason).toBe('gone');
      expect(await calls.rowsOf(id)).toMatchObject([{ answer: { status: 410 }, signature: { status: 'verified' } }]);
    });
  });

  describe('an arriving request', () => {
    test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PURGE'])(
      'may be %s, with any path suffix',
      async (method) => {
        const { id, url } = await calls.makeInspector();
        const answer = await fetch(`${url}/a/b%2Fc?x=1&x=2`, { method });
        expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
        expect(answer.headers.get('x-ratelimit-limit')).toBe('300');
        expect(await calls.rowsOf(id)).toMatchObject([
          { method, path: '/a/b%2Fc?x=1&x=2', signature: { status: 'unsigned' } },
        ]);
      },
    );

    test('keeps its body exactly: text as text, other bytes as base64, and the first 256 KiB of a longer one', async () => {
      const { id, url } = await calls.makeInspector();
      await post(url, '{"total": 12.50, "név": "Ő"}');
      expect(await calls.newestOf(id)).toMatchObject({
        body: '{"total": 12.50, "név": "Ő"}',
        encoding: 'text',
        isCut: false,
      });
      const bytes = Buffer.from([0, 255, 128, 7]);
      await post(url, bytes);
      expect(await calls.newestOf(id)).toMatchObject({ body: bytes.toString('base64'), encoding: 'base64', bytes: 4 });
      // The cut goes through the last character.
      await post(url, `a${'é'.repeat(200_000)}`);
      const cut = await calls.newestOf(id);
      expect(cut).toMatchObject({ bytes: 400_001, encoding: 'text', isCut: true });
      expect(cut.body).toBe(`a${'é'.repeat(131_071)}`);
      const tooLong = await post(url, Buffer.alloc(1024 * 1024 + 1));
      expect(tooLong.status).toBe(413);
    });

    test('shows no cookie and no credential to its readers', async () => {
      const { id, url } = await calls.makeInspector();
      await post(url, '', {
        authorization: 'Bearer topsecret',
        cookie: '__Host-sid=topsecret',
        'X-Api-Key': 'topsecret',
      });
      const { headers } = await calls.newestOf(id);
      expect(JSON.stringify(headers)).not.toContain('topsecret');
      expect(headers).toContainEqual({ name: 'authorization', value: 'Bearer (9 characters, not kept)' });
    });

    test('at an unknown address is NOT_FOUND', async () => {
      expect((await post(`${posthorn.url}/inspect/ins_${'0'.repeat(26)}`, '')).status).toBe(404);
      expect((await post(`${posthorn.url}/inspect/else`, '')).status).toBe(404);
    });

    test('is answered late if so configured, and with failures', async () => {
      const { id, url } = await calls.makeInspector({ answer: { status: 202, delayMs: 300, failurePercent: 100 } });
      const began = performance.now();
      expect((await post(url, 'x')).status).toBe(500);
      // A timer may fire a millisecond early.
      expect(performance.now() - began).toBeGreaterThan(290);
      await posthorn.request('PATCH', `/v1/inspectors/${id}`, {
        answer: { failurePercent: 0, delayMs: 0, status: 204 },
      });
      const answer = await post(url, 'x');
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    });

    test('with a redirect as its status leads nowhere', async () => {
      const { url } = await calls.makeInspector({ answer: { status: 302 } });
      const answer = await fetch(url, { method: 'POST', redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, null]);
    });
  });

  describe('an inspector', () => {
    test('keeps its newest 200 requests, and lists them newest first', async () => {
      const { id, url } = await calls.makeInspector();
      for (let n = 0; n < 203; n += 1) await post(`${url}/${n}`, '');
      const { rows } = await posthorn.deps.pool.query(
        'SELECT path FROM inspected_requests WHERE inspector_id = $1 ORDER BY id',
        [id],
      );
      expect([rows.length, rows[0], rows.at(-1)]).toEqual([200, { path: '/3' }, { path: '/202' }]);
      const first = await posthorn.request<List<Row>>('GET', `/v1/inspectors/${id}/requests?limit=2`);
      const { cursor } = first.body.pagination;
      const second = await posthorn.request<List<Row>>('GET', `/v1/inspectors/${id}/requests?limit=2&cursor=${cursor}`);
      expect([...first.body.data, ...second.body.data].map(({ path }) => path)).toEqual([
        '/202',
        '/201',
        '/200',
        '/199',
      ]);
    });

    test('deletes requests after 24 hours, and all of them on request', async () => {
      const { id, url } = await calls.makeInspector();
      await post(url, 'old');
      await posthorn.deps.pool.query(`UPDATE inspected_requests SET expires_at = now() WHERE inspector_id = $1`, [id]);
      await post(url, 'new');
      expect(await calls.rowsOf(id)).toHaveLength(1);
      await forgetExpired(posthorn.deps.pool);
      expect(await posthorn.deps.db.inspectedRequest.count({ where: { inspectorId: id } })).toBe(1);
      expect((await posthorn.request('DELETE', `/v1/inspectors/${id}/requests`)).status).toBe(204);
      expect(await calls.rowsOf(id)).toEqual([]);
    });

    test('has a limit of its own, which does not affect others', async () => {
      const [one, other] = [await calls.makeInspector(), await calls.makeInspector()];
      const statuses: number[] = [];
      for (let n = 0; n < 12; n += 1)
        statuses.push(...(await Promise.all(Array.from({ length: 25 }, async () => (await post(one.url, '')).status))));
      // On a slow machine the minute may be over, and a new one has room for as many again.
      do statuses.push((await post(one.url, '')).status);
      while (statuses.at(-1) === 200);
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(300);
      expect(statuses.at(-1)).toBe(429);
      expect((await post(other.url, '')).status).toBe(200);
    });

    test('is limited to 20 per environment, however many are created at once', async () => {
      const key = posthorn.keys.test;
      const answers = await Promise.all(
        Array.from({ length: 25 }, (_, n) =>
          posthorn.request<Named>('POST', '/v1/inspectors', { name: `n ${n}` }, { key }),
        ),
      );
      const list = await posthorn.request<List<Named>>('GET', '/v1/inspectors?limit=100', undefined, { key });
      expect(list.body.data).toHaveLength(20);
      expect(answers.filter(({ status }) => status === 409).length).toBeGreaterThanOrEqual(5);
      const [{ id } = { id: '' }] = list.body.data;
      expect((await posthorn.request('DELETE', `/v1/inspectors/${id}`, undefined, { key })).status).toBe(204);
      expect((await posthorn.request('POST', '/v1/inspectors', { name: 'again' }, { key })).status).toBe(201);
    });

    test.each([
      ['name', { name: 'a\u0007b' }],
      ['answer.status', { name: 'a', answer: { status: 199 } }],
      ['answer.status', { name: 'a', answer: { status: 600 } }],
      ['answer.delayMs', { name: 'a', answer: { delayMs: 30_001 } }],
      ['answer.failurePercent', { name: 'a', answer: { failurePercent: 101 } }],
    ])('refuses %s of %j', async (field, body) => {
      const { status, body: refusal } = await posthorn.request('POST', '/v1/inspectors', body);
      expect([status, refusal]).toMatchObject([400, { error: { details: { field } } }]);
    });

    test('changes the fields of its response one by one, and can be sent back as it was read', async () => {
      const { id, inspector } = await calls.makeInspector({ answer: { status: 503 } });
      expect(inspector.url).toBe(`${posthorn.deps.config.publicBaseUrl}/inspect/${id}`);
      const changed = await posthorn.request<Inspector>('PATCH', `/v1/inspectors/${id}`, { answer: { delayMs: 5 } });
      expect(changed.body.answer).toEqual({ status: 503, delayMs: 5, failurePercent: 0 });
      const again = await posthorn.request<Inspector>('PATCH', `/v1/inspectors/${id}`, changed.body);
      expect([again.status, again.body]).toEqual([200, changed.body]);
    });

    test('that is deleted is not found, nor are its requests', async () => {
      const { id, url } = await calls.makeInspector();
      await post(url, 'x');
      expect((await posthorn.request('DELETE', `/v1/inspectors/${id}`)).status).toBe(204);
      expect((await post(url, 'x')).status).toBe(404);
      expect(await posthorn.deps.db.inspectedRequest.count({ where: { inspectorId: id } })).toBe(0);
    });
  });
});

describe('disturbances', () => {
  const REFUSED_AT_MOST = 3;

  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof inspectorCalls>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ strangerRequestsPerMinute: REFUSED_AT_MOST });
    calls = inspectorCalls(posthorn);
  });
  afterAll(() => posthorn.stop());
  afterEach(() => posthorn.deps.db.inspector.deleteMany());

  /** The statuses of the tries of a message's one delivery, as many as there are. */
  async function triesOf(messageId: string): Promise<number[]> {
    const { rows } = await posthorn.deps.pool.query<{ status: number }>(
      `SELECT a.response_status AS status FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
     WHERE d.message_id = $1 ORDER BY a.number`,
      [messageId],
    );
    return rows.map(({ status }) => status);
  }

  // Regression: these requests counted for the service's own address, and closed the inspectors of everybody who sends from there.
  test('deliveries to a missing inspector do not affect the inspectors of other tenants', async () => {
    const { id, url } = await calls.makeInspector();
    for (let count = 0; count <= REFUSED_AT_MOST; count += 1) {
      const { messageId } = await calls.publishTo(`${posthorn.url}/inspect/ins_${'0'.repeat(26)}`);
      const tries = await waitFor('the first try', async () => {
        const statuses = await triesOf(messageId);
        return statuses.length > 0 && statuses;
      });
      expect(tries[0]).toBe(404);
    }
    expect((await post(url, 'a stranger')).status).toBe(200);
    const { messageId } = await calls.publishTo(url);
    await waitFor('the delivery', async () => {
      const list = await posthorn.request<List<{ status: string }>>('GET', `/v1/deliveries?messageId=${messageId}`);
      return list.body.data[0]?.status === 'delivered';
    });
    expect(await triesOf(messageId)).toEqual([200]);
    // A receiver elsewhere gets no proof of the sender.
    const { headers } = await calls.newestOf(id);
    expect(headers.map(({ name }) => name.toLowerCase())).not.toContain(SENDER_HEADER);
  });

  // Regression: one set of places for all, and a row that told of an answer which was never given.
  test('responses that one organisation delays do not affect others, and its rows show the responses that were sent', async () => {
    const { id, url } = await calls.makeInspector({ answer: { delayMs: 30_000 } });
    const leaving = new AbortController();
    const { signal } = leaving;
    const held = Array.from({ length: 50 }, () => fetch(url, { method: 'POST', signal }).catch(() => undefined));
    const { db, newId } = posthorn.deps;
    await waitFor(
      'the answers that are held back',
      async () => (await db.inspectedRequest.count({ where: { inspectorId: id } })) === held.length,
    );
    const refused = await post(url, 'one more');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await calls.rowsOf(id))[0]).toMatchObject({ answer: { status: 503, delayMs: 0 } });
    const { live } = await insertOrganisation(posthorn.deps);
    const [now, other] = [new Date(), `ins_${'1'.repeat(26)}`];
    await db.inspector.create({
      data: {
        id: other,
        position: newId('inspector'),
        environmentId: live,
        name: 'other',
        answerDelayMs: 1,
        createdAt: now,
        updatedAt: now,
      },
    });
    expect((await post(`${posthorn.url}/inspect/${other}`, 'x')).status).toBe(200);
    leaving.abort();
    await Promise.all(held);
    // A place is free again once the service has seen that its connection is gone.
    await posthorn.request('PATCH', `/v1/inspectors/${id}`, { answer: { delayMs: 1 } });
    await waitFor('a place', async () => (await post(url, 'again')).status === 200);
  });
});

describe('signatures', () => {
  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof inspectorCalls>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    calls = inspectorCalls(posthorn);
  });
  afterAll(() => posthorn.stop());
  // An environment has at most 20.
  afterEach(() => posthorn.deps.db.inspector.deleteMany());

  describe('the status of a signature', () => {
    const NOW = (): string => String(Math.floor(Date.now() / 1_000));
    const sign = (secret: string, id: string, timestamp: string, body: string): string =>
      `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
        .update(`${id}.${timestamp}.${body}`)
        .digest('base64')}`;

    test.each([
      [
        'the secret is another one',
        (s: string) => ({ secret: `whsec_${Buffer.alloc(32).toString('base64')}`, was: s }),
        'signature_differs',
      ],
      ['the body was changed', () => ({ body: '{"a": 1}' }), 'signature_differs'],
      ['the clock is off', () => ({ timestamp: String(Number(NOW()) - 400) }), 'timestamp_off'],
      ['the time is no number', () => ({ timestamp: 'now' }), 'timestamp_malformed'],
      ['the message is nobody’s', () => ({ messageId: `msg_${'0'.repeat(26)}` }), 'message_unknown'],
      ['a header is missing', () => ({ without: 'webhook-timestamp' }), 'header_missing'],
    ])('is failed with its reason when %s', async (_, change, reason) => {
      const { id, url } = await calls.makeInspector();
      const { messageId, subscriptionId } = await calls.publishTo(url);
      const path = `/v1/subscriptions/${subscriptionId}/secret`;
      const { secret } = (await posthorn.request<{ secret: string }>('GET', path)).body;
      const changed: Record<string, string> = change(secret);
      const { messageId: signedId = messageId, timestamp = NOW(), without = '' } = changed;
      const headers: Record<string, string> = {
        'webhook-id': signedId,
        'webhook-timestamp': timestamp,
        'webhook-signature': sign(changed['secret'] ?? secret, signedId, timestamp, '{"a":1}'),
      };
      delete headers[without];
      await post(`${url}/by-hand`, changed['body'] ?? '{"a":1}', headers);
      const row = (await calls.rowsOf(id)).find((each) => each.path === '/by-hand');
      expect(row?.signature).toMatchObject({ status: 'failed', reason });
    });

    test('names no message and no subscription of another environment', async () => {
      const { url: own } = await calls.makeInspector();
      const { messageId, subscriptionId } = await calls.publishTo(own);
      const foreign = await make(posthorn, posthorn.keys.test, '/v1/inspectors', { name: 'theirs' });
      const path = `/v1/subscriptions/${subscriptionId}/secret`;
      const { secret } = (await posthorn.request<{ secret: string }>('GET', path)).body;
      const timestamp = NOW();
      const signature = sign(secret, messageId, timestamp, 'x');
      await post(`${posthorn.url}/inspect/${foreign.id}`, 'x', {
        'webhook-id': messageId,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      });
      const list = await posthorn.request<List<Row>>('GET', `/v1/inspectors/${foreign.id}/requests`, undefined, {
        key: posthorn.keys.test,
      });
      expect(list.body.data.map(({ signature: seen }) => seen)).toEqual([
        { status: 'failed', reason: 'message_unknown' },
      ]);
    });
  });
});
