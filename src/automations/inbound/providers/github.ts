import { behind, hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

const event = header('x-github-event');

export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  scheme: 'github',
  check: hmac({ header: 'x-hub-signature-256', read: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-github-delivery'),
  eventType: event,
  // A new webhook sends this once.
  handshake: (incoming) => (event(incoming) === 'ping' ? { answer: { received: true } } : undefined),
  // Its content type application/x-www-form-urlencoded.
  jsonField: 'payload',
};
