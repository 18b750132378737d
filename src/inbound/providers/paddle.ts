import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

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
