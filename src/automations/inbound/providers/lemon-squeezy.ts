import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

/** No id and no time: a copy of a request becomes a second message. */
export const lemonSqueezy: Provider = {
  name: 'lemon-squeezy',
  title: 'Lemon Squeezy',
  scheme: 'hmac',
  check: hmac({ header: 'x-signature' }),
  makesSecret: true,
  eventType: header('x-event-name'),
};
