import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const workos: Provider = {
  name: 'workos',
  title: 'WorkOS',
  scheme: 'hmac',
  ...hmac({
    header: 'workos-signature',
    form: pairs({ time: 't', signature: 'v1' }),
    timestampUnit: 'milliseconds',
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventId: at('/id'),
  eventType: at('/event'),
  sample: ({ id, now }) => ({
    body: {
      id,
      event: 'dsync.user.created',
      created_at: now.toISOString(),
      data: { object: 'directory_user', id: 'directory_user_1', first_name: 'Ada', state: 'active' },
    },
  }),
};
