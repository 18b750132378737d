import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const stripe: Provider = {
  name: 'stripe',
  title: 'Stripe',
  scheme: 'stripe',
  check: hmac({
    header: 'stripe-signature',
    read: pairs({ time: 't', signature: 'v1' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventId: at('/id'),
  eventType: at('/type'),
};
