import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const vercel: Provider = {
  name: 'vercel',
  title: 'Vercel',
  scheme: 'hmac',
  ...hmac({ header: 'x-vercel-signature', algorithm: 'sha1' }),
  eventId: at('/id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    body: {
      id,
      type: 'deployment.succeeded',
      createdAt: now.getTime(),
      region: null,
      payload: { deployment: { id: 'dpl_1', name: 'shop', url: 'shop.example.com' }, target: 'production' },
    },
  }),
};
