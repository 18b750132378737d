import { hmac } from '../schemes/hmac.ts';
import { at, header, type Provider } from './provider.ts';

export const razorpay: Provider = {
  name: 'razorpay',
  title: 'Razorpay',
  scheme: 'hmac',
  ...hmac({ header: 'x-razorpay-signature' }),
  makesSecret: true,
  eventId: header('x-razorpay-event-id'),
  eventType: at('/event'),
  sample: ({ id, now }) => ({
    headers: { 'X-Razorpay-Event-Id': id },
    body: {
      entity: 'event',
      event: 'payment.captured',
      contains: ['payment'],
      payload: { payment: { entity: { id: 'pay_1', amount: 50000, currency: 'INR', status: 'captured' } } },
      created_at: Math.floor(now.getTime() / 1_000),
    },
  }),
};
