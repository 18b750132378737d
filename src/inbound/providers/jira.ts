import { behind, hmac } from '../schemes/hmac.ts';
import { at, header, type Provider } from './provider.ts';

export const jira: Provider = {
  name: 'jira',
  title: 'Jira',
  scheme: 'hmac',
  ...hmac({ header: 'x-hub-signature', form: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-atlassian-webhook-identifier'),
  eventType: at('/webhookEvent'),
  sample: ({ id, now }) => ({
    headers: { 'X-Atlassian-Webhook-Identifier': id },
    body: {
      timestamp: now.getTime(),
      webhookEvent: 'jira:issue_updated',
      user: { displayName: 'Ada Example' },
      issue: { id: '10002', key: 'SHOP-7', fields: { summary: 'Sort the list', status: { name: 'In Progress' } } },
    },
  }),
};
