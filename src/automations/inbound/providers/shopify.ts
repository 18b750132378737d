import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

export const shopify: Provider = {
  name: 'shopify',
  title: 'Shopify',
  scheme: 'shopify',
  check: hmac({ header: 'x-shopify-hmac-sha256', encoding: 'base64' }),
  eventId: header('x-shopify-webhook-id'),
  eventType: header('x-shopify-topic'),
};
