import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const webflow: Provider = {
  name: 'webflow',
  title: 'Webflow',
  scheme: 'hmac',
  ...hmac({
    header: 'x-webflow-signature',
    timestampHeader: 'x-webflow-timestamp',
    timestampUnit: 'milliseconds',
    signed: ({ bytes }, timestamp) => [`${timestamp}:`, bytes],
  }),
  eventType: at('/triggerType'),
  sample: ({ id, now }) => ({
    body: {
      triggerType: 'form_submission',
      payload: { id, name: 'Contact', submittedAt: now.toISOString(), data: { name: 'Ada', email: 'ada@example.com' } },
    },
  }),
};
