import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const intercom: Provider = {
  name: 'intercom',
  title: 'Intercom',
  scheme: 'hmac',
  check: hmac({ header: 'x-hub-signature', algorithm: 'sha1', read: behind('sha1=') }),
  eventId: at('/id'),
  eventType: at('/topic'),
};
