import { hmac } from '../schemes/hmac.ts';
import type { Incoming } from '../schemes/scheme.ts';
import { at, type Provider, withContent } from './provider.ts';

/** The events of a request without the number of the try, which alone differs when the request is sent again. */
function repeated(incoming: Incoming): string {
  const { events } = incoming.content().value;
  return JSON.stringify(events, (name, value: unknown) => (name === 'attemptNumber' ? undefined : value));
}

/** Signatures of version 3, over method, address, body and time. */
export const hubspot: Provider = {
  name: 'hubspot',
  title: 'HubSpot',
  scheme: 'hmac',
  ...hmac({
    header: 'x-hubspot-signature-v3',
    encoding: 'base64',
    timestampHeader: 'x-hubspot-request-timestamp',
    timestampUnit: 'milliseconds',
    signed: ({ url, bytes }, timestamp) => [`POST${url}`, bytes, timestamp],
  }),
  // HubSpot does not promise that its ids are unique, and the first of a list names no other one.
  eventId: withContent(at('/events/0/eventId'), repeated),
  eventType: at('/events/0/subscriptionType'),
  sample: ({ number, now }) => ({
    body: [
      {
        eventId: number,
        subscriptionId: 12345,
        portalId: 62515,
        occurredAt: now.getTime(),
        subscriptionType: 'contact.creation',
        attemptNumber: 0,
        objectId: 123,
        changeSource: 'CRM',
      },
    ],
  }),
};
