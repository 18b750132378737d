import { hmac } from '../schemes/hmac.ts';
import { at, header, type Provider } from './provider.ts';

export const zendesk: Provider = {
  name: 'zendesk',
  title: 'Zendesk',
  scheme: 'hmac',
  ...hmac({
    header: 'x-zendesk-webhook-signature',
    encoding: 'base64',
    timestampHeader: 'x-zendesk-webhook-signature-timestamp',
    timestampUnit: 'iso8601',
    signed: ({ bytes }, timestamp) => [timestamp, bytes],
  }),
  eventId: header('x-zendesk-webhook-invocation-id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    headers: { 'X-Zendesk-Webhook-Invocation-Id': id },
    body: {
      type: 'zen:event-type:user.created',
      id: 'cbe4028c-7239-495d-b020-f22348516046',
      account_id: 22129848,
      time: now.toISOString(),
      zendesk_event_version: '2022-06-20',
      subject: 'zen:user:6596848315901',
      detail: { id: '6596848315901', email: 'ada@example.com', role: 'end-user' },
    },
  }),
};
