import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

/** Its time stands in a header that is not signed, and proves nothing. */
export const sentry: Provider = {
  name: 'sentry',
  title: 'Sentry',
  scheme: 'hmac',
  ...hmac({ header: 'sentry-hook-signature' }),
  eventId: header('request-id'),
  eventType: header('sentry-hook-resource'),
  sample: ({ id }) => ({
    headers: { 'Request-ID': id, 'Sentry-Hook-Resource': 'issue' },
    body: {
      action: 'created',
      data: { issue: { id: '1170820242', shortId: 'SHOP-1', title: 'TypeError: x is undefined', level: 'error' } },
      actor: { type: 'application', id: 'sentry', name: 'Sentry' },
    },
  }),
};
