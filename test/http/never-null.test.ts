import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';
import { make } from '../support/make/seed.ts';
import { BEGINNING, openStream } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const PERSONAL = { eventType: 'customer.changed', payload: { name: 'Elfriede' }, metadata: { contact: 'Elfriede' } };

// The old mechanism: the row's NULL was written as `payload: null`, though nothing else that is absent is ever null.
test.each([
  ['published', {}],
  ['waiting for its time', { delay: 86_400_000 }],
])('an erased message that was %s has no payload, wherever it is shown', async (_, when) => {
  const channel = await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'customers' });
  const path = `/v1/channels/${channel.id}/messages`;
  const headers = { 'idempotency-key': newIdempotencyKey() };
  const send = () => posthorn.request('POST', path, { ...PERSONAL, ...when }, { headers });
  const { body: accepted } = await send();
  const address = `/v1/messages/${String(accepted['id'])}`;
  expect((await posthorn.request('DELETE', address)).status).toBe(204);

  const { body: shown } = await posthorn.request('GET', address);
  expect(shown).toMatchObject({ id: accepted['id'], eventType: 'customer.changed' });
  const { body: repeated, status, headers: answered } = await send();
  expect([status, answered.get('idempotent-replayed'), repeated['id']]).toEqual([202, 'true', accepted['id']]);
  const { body: listed } = await posthorn.request<{ data: Record<string, unknown>[] }>('GET', path);
  const scheduled = `/v1/channels/${channel.id}/scheduled?status=cancelled`;
  const { body: cancelled } = await posthorn.request<{ data: Record<string, unknown>[] }>('GET', scheduled);
  const seen = [shown, repeated, ...listed.data, ...cancelled.data];
  expect(seen).toHaveLength(3);
  if (listed.data.length > 0) {
    const stream = `${posthorn.url}/v1/channels/${channel.id}/stream?${BEGINNING}`;
    const reader = await openStream({ url: stream, key: posthorn.keys.live });
    const [event] = await reader.waitForEvents(1);
    seen.push(JSON.parse(event?.data ?? '') as Record<string, unknown>);
    reader.close();
  }
  for (const each of seen) {
    expect(each['id']).toBe(accepted['id']);
    expect(Object.keys(each)).not.toContain('payload');
    expect(Object.keys(each)).not.toContain('metadata');
    expect(JSON.stringify(each)).not.toContain('null');
  }
});
