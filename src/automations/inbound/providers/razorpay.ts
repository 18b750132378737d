import { hmac } from '../schemes/hmac.ts';
import { at, header, type Provider } from './provider.ts';

export const razorpay: Provider = {
  name: 'razorpay',
  title: 'Razorpay',
  scheme: 'hmac',
  check: hmac({ header: 'x-razorpay-signature' }),
  makesSecret: true,
  eventId: header('x-razorpay-event-id'),
  eventType: at('/event'),
};
