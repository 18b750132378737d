import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const coinbaseCommerce: Provider = {
  name: 'coinbase-commerce',
  title: 'Coinbase Commerce',
  scheme: 'hmac',
  ...hmac({ header: 'x-cc-webhook-signature' }),
  eventId: at('/event/id'),
  eventType: at('/event/type'),
  sample: ({ id, now }) => ({
    body: {
      id: 1,
      attempt_number: 1,
      event: {
        id,
        type: 'charge:confirmed',
        created_at: now.toISOString(),
        data: { code: 'SAMPLE1', name: 'Order 1001', pricing_type: 'fixed_price' },
      },
    },
  }),
};
