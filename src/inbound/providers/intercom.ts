import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const intercom: Provider = {
  name: 'intercom',
  title: 'Intercom',
  scheme: 'hmac',
  ...hmac({ header: 'x-hub-signature', algorithm: 'sha1', form: behind('sha1=') }),
  eventId: at('/id'),
  eventType: at('/topic'),
  sample: ({ id, now }) => ({
    body: {
      type: 'notification_event',
      id,
      topic: 'conversation.user.created',
      app_id: 'abc123',
      created_at: Math.floor(now.getTime() / 1_000),
      data: { item: { type: 'conversation', id: '1234', state: 'open', title: 'A question' } },
    },
  }),
};
