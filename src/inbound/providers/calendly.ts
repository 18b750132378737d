import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const calendly: Provider = {
  name: 'calendly',
  title: 'Calendly',
  scheme: 'hmac',
  ...hmac({
    header: 'calendly-webhook-signature',
    form: pairs({ time: 't', signature: 'v1' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventType: at('/event'),
  sample: ({ id, now }) => ({
    body: {
      event: 'invitee.created',
      created_at: now.toISOString(),
      payload: {
        uri: `https://api.calendly.com/scheduled_events/EV1/invitees/${id}`,
        name: 'Ada Example',
        email: 'ada@example.com',
        status: 'active',
      },
    },
  }),
};
