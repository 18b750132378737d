import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const typeform: Provider = {
  name: 'typeform',
  title: 'Typeform',
  scheme: 'hmac',
  check: hmac({ header: 'typeform-signature', encoding: 'base64', read: behind('sha256=') }),
  makesSecret: true,
  eventId: at('/event_id'),
  eventType: at('/event_type'),
};
