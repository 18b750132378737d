import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

/** The address is signed too: it has to be the one that Square knows, PUBLIC_BASE_URL included. */
export const square: Provider = {
  name: 'square',
  title: 'Square',
  scheme: 'hmac',
  check: hmac({
    header: 'x-square-hmacsha256-signature',
    encoding: 'base64',
    signed: ({ url, bytes }) => [url, bytes],
  }),
  eventId: at('/event_id'),
  eventType: at('/type'),
};
