import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

/** Its time stands in a header that is not signed, and proves nothing. */
export const sentry: Provider = {
  name: 'sentry',
  title: 'Sentry',
  scheme: 'hmac',
  check: hmac({ header: 'sentry-hook-signature' }),
  eventId: header('request-id'),
  eventType: header('sentry-hook-resource'),
};
