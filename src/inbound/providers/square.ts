import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

/** The address is signed too: it has to be the one that Square knows, PUBLIC_BASE_URL included. */
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
