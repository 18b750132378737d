import { behind, hmac } from '../schemes/hmac.ts';
import { at, header, type Provider } from './provider.ts';

export const jira: Provider = {
  name: 'jira',
  title: 'Jira',
  scheme: 'hmac',
  check: hmac({ header: 'x-hub-signature', read: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-atlassian-webhook-identifier'),
  eventType: at('/webhookEvent'),
};
