import { createHmac } from 'node:crypto';
import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const zoom: Provider = {
  name: 'zoom',
  title: 'Zoom',
  scheme: 'hmac',
  check: hmac({
    header: 'x-zm-signature',
    read: behind('v0='),
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
};
