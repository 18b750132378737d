import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const stripe: Provider = {
  name: 'stripe',
  title: 'Stripe',
  scheme: 'stripe',
  ...hmac({
    header: 'stripe-signature',
    form: pairs({ time: 't', signature: 'v1' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventId: at('/id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    body: {
      id,
      object: 'event',
      type: 'payment_intent.succeeded',
      created: Math.floor(now.getTime() / 1_000),
      livemode: false,
      data: { object: { id: 'pi_1', object: 'payment_intent', amount: 1250, currency: 'eur', status: 'succeeded' } },
    },
  }),
};
