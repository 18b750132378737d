import { hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const launchdarkly: Provider = {
  name: 'launchdarkly',
  title: 'LaunchDarkly',
  scheme: 'hmac',
  check: hmac({ header: 'x-ld-signature' }),
  makesSecret: true,
  eventId: at('/_id'),
  eventType: at('/kind'),
};
