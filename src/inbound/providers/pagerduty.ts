import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const pagerduty: Provider = {
  name: 'pagerduty',
  title: 'PagerDuty',
  scheme: 'hmac',
  ...hmac({ header: 'x-pagerduty-signature', form: pairs({ signature: 'v1' }) }),
  eventId: at('/event/id'),
  eventType: at('/event/event_type'),
  sample: ({ id, now }) => ({
    body: {
      event: {
        id,
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: now.toISOString(),
        data: { id: 'PGR0VU2', type: 'incident', title: 'The shop is slow', status: 'triggered', urgency: 'high' },
      },
    },
  }),
};
