import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const pagerduty: Provider = {
  name: 'pagerduty',
  title: 'PagerDuty',
  scheme: 'hmac',
  check: hmac({ header: 'x-pagerduty-signature', read: pairs({ signature: 'v1' }) }),
  eventId: at('/event/id'),
  eventType: at('/event/event_type'),
};
