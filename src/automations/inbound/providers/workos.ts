import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const workos: Provider = {
  name: 'workos',
  title: 'WorkOS',
  scheme: 'hmac',
  check: hmac({
    header: 'workos-signature',
    read: pairs({ time: 't', signature: 'v1' }),
    timestampUnit: 'milliseconds',
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventId: at('/id'),
  eventType: at('/event'),
};
