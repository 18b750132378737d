import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { make } from '../support/make/seed.ts';
import { foreignIn, makeNeighbourhood, type Neighbourhood, type Tenant } from '../support/make/tenants.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { openStream } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
let all: Neighbourhood;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  all = await makeNeighbourhood(posthorn);
});
afterAll(() => posthorn.stop());

const message = { eventType: 'order.created', payload: { n: 1 } };

test('changes are told of the own environment alone, while neighbours publish at once', async () => {
  const tenants = [all.victim, all.otherOrganisation, all.otherApp, all.otherEnvironment];
  const streams = await Promise.all(tenants.map(({ key }) => openStream({ url: `${posthorn.url}/v1/changes`, key })));
  try {
    await waitFor('all streams to begin', () => streams.every((stream) => stream.text().includes('"everything"')));
    const sent = await Promise.all(
      tenants.map(({ key, ids }) => make(posthorn, key, `/v1/channels/${ids.channelId}/messages`, message)),
    );
    for (const [index, stream] of streams.entries()) {
      await waitFor(`the message of ${index}`, () => stream.text().includes(sent[index]?.id ?? '?'));
      expect(foreignIn(all, stream.text(), { own: [tenants[index] as Tenant] })).toEqual([]);
      expect(sent.filter(({ id }, other) => other !== index && stream.text().includes(id))).toEqual([]);
    }
  } finally {
    for (const stream of streams) stream.close();
  }
});
