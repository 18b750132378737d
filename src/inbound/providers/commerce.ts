import { hmac, pairs } from '../schemes/hmac.ts';
import { bodyBytes, header, type Provider, withContent, at } from './provider.ts';

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

/** Lemon Squeezy sends neither an id nor a time, so a repeated request becomes a second message. */
export const lemonSqueezy: Provider = {
  name: 'lemon-squeezy',
  title: 'Lemon Squeezy',
  scheme: 'hmac',
  ...hmac({ header: 'x-signature' }),
  makesSecret: true,
  eventType: header('x-event-name'),
  sample: ({ id }) => ({
    headers: { 'X-Event-Name': 'order_created' },
    body: {
      meta: { event_name: 'order_created', custom_data: { sample: id } },
      data: { type: 'orders', id: '1', attributes: { status: 'paid', currency: 'USD', total: 1999, user_name: 'Ada' } },
    },
  }),
};

export const paddle: Provider = {
  name: 'paddle',
  title: 'Paddle',
  scheme: 'hmac',
  ...hmac({
    header: 'paddle-signature',
    form: pairs({ time: 'ts', signature: 'h1' }, ';'),
    signed: ({ bytes }, timestamp) => [`${timestamp}:`, bytes],
  }),
  eventId: at('/event_id'),
  eventType: at('/event_type'),
  sample: ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'transaction.completed',
      occurred_at: now.toISOString(),
      data: { id: 'txn_01', status: 'completed', currency_code: 'EUR', customer_id: 'ctm_01' },
    },
  }),
};

export const razorpay: Provider = {
  name: 'razorpay',
  title: 'Razorpay',
  scheme: 'hmac',
  ...hmac({ header: 'x-razorpay-signature' }),
  makesSecret: true,
  eventId: header('x-razorpay-event-id'),
  eventType: at('/event'),
  sample: ({ id, now }) => ({
    headers: { 'X-Razorpay-Event-Id': id },
    body: {
      entity: 'event',
      event: 'payment.captured',
      contains: ['payment'],
      payload: { payment: { entity: { id: 'pay_1', amount: 50000, currency: 'INR', status: 'captured' } } },
      created_at: Math.floor(now.getTime() / 1_000),
    },
  }),
};

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

/** The URL is signed too, so PUBLIC_BASE_URL must match the address configured at Square. */
export const square: Provider = {
  name: 'square',
  title: 'Square',
  scheme: 'hmac',
  ...hmac({
    header: 'x-square-hmacsha256-signature',
    encoding: 'base64',
    signed: ({ url, bytes }) => [url, bytes],
  }),
  eventId: at('/event_id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    body: {
      merchant_id: '6SSW7HV8K2ST5',
      type: 'payment.created',
      event_id: id,
      created_at: now.toISOString(),
      data: {
        type: 'payment',
        id: 'KkAk1',
        object: { payment: { status: 'APPROVED', amount_money: { amount: 1000 } } },
      },
    },
  }),
};

export const stripe: Provider = {
  name: 'stripe',
  title: 'Stripe',
  scheme: 'stripe',
  ...hmac({
    header: 'stripe-signature',
    form: pairs({ time: 't', signature: 'v1' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventId: at('/id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    body: {
      id,
      object: 'event',
      type: 'payment_intent.succeeded',
      created: Math.floor(now.getTime() / 1_000),
      livemode: false,
      data: { object: { id: 'pi_1', object: 'payment_intent', amount: 1250, currency: 'eur', status: 'succeeded' } },
    },
  }),
};

export const woocommerce: Provider = {
  name: 'woocommerce',
  title: 'WooCommerce',
  scheme: 'hmac',
  ...hmac({ header: 'x-wc-webhook-signature', encoding: 'base64' }),
  makesSecret: true,
  // WooCommerce derives the id from the current second, so two deliveries within one second have the same id.
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
