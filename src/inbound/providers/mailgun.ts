import { mailgun as check, signForMailgun as sign } from '../schemes/mailgun.ts';
import { at, type Provider } from './provider.ts';

export const mailgun: Provider = {
  name: 'mailgun',
  title: 'Mailgun',
  scheme: 'mailgun',
  check,
  sign,
  // The signature covers the token and not the data: good once.
  eventId: at('/signature/token'),
  eventType: at('/event-data/event'),
  sample: ({ id, now }) => ({
    body: {
      'event-data': {
        event: 'delivered',
        id,
        timestamp: now.getTime() / 1_000,
        recipient: 'ada@example.com',
        message: { headers: { subject: 'Your order', 'message-id': '20261126.1@mg.example.com' } },
      },
    },
  }),
};
