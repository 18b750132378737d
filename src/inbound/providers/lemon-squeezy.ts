import { hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

/** No id and no time: a copy of a request becomes a second message. */
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
