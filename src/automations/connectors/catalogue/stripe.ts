import { z } from 'zod';
import type { Connector } from './connector.ts';
import { oneOf, object, secret, text, whole } from './fields.ts';

const API = 'https://api.stripe.com/v1';
const idempotencyHeader = 'idempotency-key';
const metadata = object('Metadata to store with the object.').exactOptional();

export const stripe: Connector = {
  id: 'stripe',
  name: 'Stripe',
  description: 'Create customers and payment intents, and refund payments. Retries have no duplicate effect.',
  category: 'commerce',
  colour: '5a50c8',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ secretKey: secret('Secret or restricted key.') }),
    headers: { authorization: 'Bearer {secretKey}' },
  },
  test: { method: 'GET', url: `${API}/balance` },
  operations: [
    {
      id: 'create-customer',
      name: 'Create a customer',
      description: 'Creates a customer.',
      input: z.strictObject({
        email: text('Email address.').exactOptional(),
        name: text('Name.').exactOptional(),
        description: text('Description for your own use.').exactOptional(),
        metadata,
      }),
      request: {
        method: 'POST',
        url: `${API}/customers`,
        form: { email: '$email', name: '$name', description: '$description', metadata: '$metadata' },
        idempotencyHeader,
      },
    },
    {
      id: 'create-payment-intent',
      name: 'Create a payment intent',
      description: 'Prepares a payment of a customer.',
      input: z.strictObject({
        amount: whole('Amount in the smallest unit of the currency.'),
        currency: text('Currency, such as `eur`.'),
        customer: text('Id of the customer.').exactOptional(),
        description: text('Description for your own use.').exactOptional(),
        metadata,
      }),
      request: {
        method: 'POST',
        url: `${API}/payment_intents`,
        form: {
          amount: '$amount',
          currency: '$currency',
          customer: '$customer',
          description: '$description',
          metadata: '$metadata',
        },
        idempotencyHeader,
      },
    },
    {
      id: 'refund-payment',
      name: 'Refund a payment',
      description: 'Refunds a payment, fully or in part.',
      input: z.strictObject({
        paymentIntent: text('Id of the payment intent.'),
        amount: whole('Amount in the smallest unit. Default: everything that has not been refunded.').exactOptional(),
        reason: oneOf(['duplicate', 'fraudulent', 'requested_by_customer'], 'Reason.').exactOptional(),
        metadata,
      }),
      request: {
        method: 'POST',
        url: `${API}/refunds`,
        form: { payment_intent: '$paymentIntent', amount: '$amount', reason: '$reason', metadata: '$metadata' },
        idempotencyHeader,
      },
    },
    {
      id: 'get-customer',
      name: 'Get a customer',
      description: 'Returns a customer.',
      input: z.strictObject({ customer: text('Id of the customer.') }),
      request: { method: 'GET', url: `${API}/customers/{customer}` },
    },
  ],
};
