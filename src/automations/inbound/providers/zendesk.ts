import { hmac } from '../schemes/hmac.ts';
import { at, header, type Provider } from './provider.ts';

export const zendesk: Provider = {
  name: 'zendesk',
  title: 'Zendesk',
  scheme: 'hmac',
  check: hmac({
    header: 'x-zendesk-webhook-signature',
    encoding: 'base64',
    timestampHeader: 'x-zendesk-webhook-signature-timestamp',
    timestampUnit: 'iso8601',
    signed: ({ bytes }, timestamp) => [timestamp, bytes],
  }),
  eventId: header('x-zendesk-webhook-invocation-id'),
  eventType: at('/type'),
};
