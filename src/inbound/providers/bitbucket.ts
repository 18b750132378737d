import { behind, hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

export const bitbucket: Provider = {
  name: 'bitbucket',
  title: 'Bitbucket',
  scheme: 'hmac',
  ...hmac({ header: 'x-hub-signature', form: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-request-uuid'),
  eventType: header('x-event-key'),
  sample: ({ id }) => ({
    headers: { 'X-Request-UUID': id, 'X-Event-Key': 'repo:push' },
    body: {
      actor: { display_name: 'Ada', type: 'user' },
      repository: { full_name: 'acme/shop', type: 'repository' },
      push: { changes: [{ new: { type: 'branch', name: 'main' }, created: false, closed: false }] },
    },
  }),
};
