import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

export const woocommerce: Provider = {
  name: 'woocommerce',
  title: 'WooCommerce',
  scheme: 'hmac',
  check: hmac({ header: 'x-wc-webhook-signature', encoding: 'base64' }),
  makesSecret: true,
  eventId: header('x-wc-webhook-delivery-id'),
  eventType: header('x-wc-webhook-topic'),
};
