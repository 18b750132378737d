import { behind, hmac } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

export const bitbucket: Provider = {
  name: 'bitbucket',
  title: 'Bitbucket',
  scheme: 'hmac',
  check: hmac({ header: 'x-hub-signature', read: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-request-uuid'),
  eventType: header('x-event-key'),
};
