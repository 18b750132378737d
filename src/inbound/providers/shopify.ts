import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

export const shopify: Provider = {
  name: 'shopify',
  title: 'Shopify',
  scheme: 'shopify',
  ...hmac({ header: 'x-shopify-hmac-sha256', encoding: 'base64' }),
  eventId: header('x-shopify-webhook-id'),
  eventType: header('x-shopify-topic'),
  sample: ({ id, now }) => ({
    headers: {
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Webhook-Id': id,
      'X-Shopify-Shop-Domain': 'shop.example.com',
    },
    body: {
      id: 450789469,
      created_at: now.toISOString(),
      currency: 'EUR',
      total_price: '12.50',
      line_items: [{ title: 'Posthorn', quantity: 1, price: '12.50' }],
    },
  }),
};
