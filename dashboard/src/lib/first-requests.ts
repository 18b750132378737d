import type { Written } from '../api/requests.ts';
import { API } from './addresses.ts';
import { EXAMPLE_MESSAGE } from './scope-example.ts';
import { TEMPLATES } from './workflow-templates.ts';

export type FirstOf = 'channel' | 'subscription' | 'message' | 'workflow' | 'webhook' | 'inspector';

/** Returns the requests that create the first resource of each kind. Without a channel its id is a placeholder. */
export function firstRequests(channelId = 'CHANNEL_ID'): Readonly<Record<FirstOf, Written>> {
  const post = (path: string, body: object): Written => ({
    method: 'POST',
    url: `${API}/v1${path}`,
    body: JSON.stringify(body),
    isKeyed: true,
  });
  return {
    channel: post('/channels', { name: 'orders' }),
    subscription: post('/subscriptions', { channelId, webhookUrl: 'https://example.com/hook' }),
    message: post(`/channels/${channelId}/messages`, EXAMPLE_MESSAGE),
    webhook: post('/webhooks', { name: 'GitHub', channelId, provider: 'github' }),
    inspector: post('/inspectors', { name: 'First look' }),
    // `as`: a template is an object.
    workflow: post('/workflows', JSON.parse(TEMPLATES.event) as object),
  };
}
