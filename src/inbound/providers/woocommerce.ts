import { hmac } from '../schemes/hmac.ts';
import { bodyBytes, header, type Provider, withContent } from './provider.ts';

export const woocommerce: Provider = {
  name: 'woocommerce',
  title: 'WooCommerce',
  scheme: 'hmac',
  ...hmac({ header: 'x-wc-webhook-signature', encoding: 'base64' }),
  makesSecret: true,
  // WooCommerce makes the id from the second: two deliveries within one second have the same.
  eventId: withContent(header('x-wc-webhook-delivery-id'), bodyBytes),
  eventType: header('x-wc-webhook-topic'),
  sample: ({ id }) => ({
    headers: { 'X-WC-Webhook-Topic': 'order.created', 'X-WC-Webhook-Delivery-ID': id },
    body: {
      id: 1001,
      status: 'processing',
      currency: 'EUR',
      total: '12.50',
      billing: { first_name: 'Ada', email: 'ada@example.com' },
    },
  }),
};
