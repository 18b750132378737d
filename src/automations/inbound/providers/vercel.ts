import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const vercel: Provider = {
  name: 'vercel',
  title: 'Vercel',
  scheme: 'hmac',
  check: hmac({ header: 'x-vercel-signature', algorithm: 'sha1' }),
  eventId: at('/id'),
  eventType: at('/type'),
};
