import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const paddle: Provider = {
  name: 'paddle',
  title: 'Paddle',
  scheme: 'hmac',
  check: hmac({
    header: 'paddle-signature',
    read: pairs({ time: 'ts', signature: 'h1' }, ';'),
    signed: ({ bytes }, timestamp) => [`${timestamp}:`, bytes],
  }),
  eventId: at('/event_id'),
  eventType: at('/event_type'),
};
