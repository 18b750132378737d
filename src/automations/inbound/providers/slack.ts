import { behind, hmac } from '../schemes/hmac.ts';
import { at, first, type Provider } from './provider.ts';

/** Events, commands and interactions. Only events have an id; a click is sent once, and has a trigger. */
export const slack: Provider = {
  name: 'slack',
  title: 'Slack',
  scheme: 'slack',
  check: hmac({
    header: 'x-slack-signature',
    read: behind('v0='),
    timestampHeader: 'x-slack-request-timestamp',
    signed: ({ bytes }, timestamp) => [`v0:${timestamp}:`, bytes],
  }),
  eventId: first(at('/event_id'), at('/trigger_id')),
  eventType: first(at('/event/type'), at('/type'), at('/command')),
  handshake(incoming) {
    const { type, challenge } = incoming.content().value;
    return type === 'url_verification' && typeof challenge === 'string' ? { answer: { challenge } } : undefined;
  },
  jsonField: 'payload',
};
