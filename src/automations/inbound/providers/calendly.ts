import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const calendly: Provider = {
  name: 'calendly',
  title: 'Calendly',
  scheme: 'hmac',
  check: hmac({
    header: 'calendly-webhook-signature',
    read: pairs({ time: 't', signature: 'v1' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventType: at('/event'),
};
