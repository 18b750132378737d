import { createHmac } from 'node:crypto';
import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const zoom: Provider = {
  name: 'zoom',
  title: 'Zoom',
  scheme: 'hmac',
  ...hmac({
    header: 'x-zm-signature',
    form: behind('v0='),
    timestampHeader: 'x-zm-request-timestamp',
    signed: ({ bytes }, timestamp) => [`v0:${timestamp}:`, bytes],
  }),
  eventType: at('/event'),
  handshake(incoming, [secret = '']) {
    const plainToken = at('/payload/plainToken')(incoming);
    if (incoming.content().value['event'] !== 'endpoint.url_validation' || plainToken === undefined) return undefined;
    const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
    return { answer: { plainToken, encryptedToken } };
  },
  sample: ({ id, now }) => ({
    body: {
      event: 'meeting.started',
      event_ts: now.getTime(),
      payload: { account_id: 'AAAAAABBBB', object: { id: '1234567890', uuid: id, topic: 'Planning', type: 2 } },
    },
  }),
};
