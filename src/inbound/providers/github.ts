import { behind, hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

const event = header('x-github-event');

export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  scheme: 'github',
  ...hmac({ header: 'x-hub-signature-256', form: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-github-delivery'),
  eventType: event,
  // A new webhook sends this once.
  handshake: (incoming) => (event(incoming) === 'ping' ? { answer: { received: true } } : undefined),
  // Its content type application/x-www-form-urlencoded.
  jsonField: 'payload',
  sample: ({ id }) => ({
    headers: { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': id },
    body: {
      ref: 'refs/heads/main',
      before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      after: '1481a2de7b2a7d02428ad93446ab166be7793fbb',
      repository: { id: 1296269, name: 'shop', full_name: 'acme/shop', private: true },
      pusher: { name: 'ada', email: 'ada@example.com' },
      commits: [{ id: '1481a2de7b2a7d02428ad93446ab166be7793fbb', message: 'Sort the list', added: ['list.ts'] }],
    },
  }),
};
