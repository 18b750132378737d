import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

/** Signatures of version 3, over method, address, body and time. */
export const hubspot: Provider = {
  name: 'hubspot',
  title: 'HubSpot',
  scheme: 'hmac',
  check: hmac({
    header: 'x-hubspot-signature-v3',
    encoding: 'base64',
    timestampHeader: 'x-hubspot-request-timestamp',
    timestampUnit: 'milliseconds',
    signed: ({ url, bytes }, timestamp) => [`POST${url}`, bytes, timestamp],
  }),
  eventId: at('/events/0/eventId'),
  eventType: at('/events/0/subscriptionType'),
};
