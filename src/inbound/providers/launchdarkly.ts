import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const launchdarkly: Provider = {
  name: 'launchdarkly',
  title: 'LaunchDarkly',
  scheme: 'hmac',
  ...hmac({ header: 'x-ld-signature' }),
  makesSecret: true,
  eventId: at('/_id'),
  eventType: at('/kind'),
  sample: ({ id, now }) => ({
    body: {
      _id: id,
      kind: 'flag',
      date: now.getTime(),
      name: 'New checkout',
      titleVerb: 'turned on the flag',
      member: { email: 'ada@example.com', firstName: 'Ada' },
    },
  }),
};
