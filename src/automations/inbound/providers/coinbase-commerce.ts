import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const coinbaseCommerce: Provider = {
  name: 'coinbase-commerce',
  title: 'Coinbase Commerce',
  scheme: 'hmac',
  check: hmac({ header: 'x-cc-webhook-signature' }),
  eventId: at('/event/id'),
  eventType: at('/event/type'),
};
