import { behind, hmac } from '../schemes/hmac.ts';
import { at, first, type Provider } from './provider.ts';

/** Events, commands and interactions. Only events have an id; a click is sent once, and has a trigger. */
export const slack: Provider = {
  name: 'slack',
  title: 'Slack',
  scheme: 'slack',
  ...hmac({
    header: 'x-slack-signature',
    form: behind('v0='),
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
  sample: ({ id, now }) => ({
    body: {
      type: 'event_callback',
      team_id: 'T1DC2JH3J',
      api_app_id: 'A1',
      event_id: id,
      event_time: Math.floor(now.getTime() / 1_000),
      event: { type: 'app_mention', user: 'U2CERLKJA', channel: 'G8PSS9T3V', text: 'Is the shop open?' },
    },
  }),
};
