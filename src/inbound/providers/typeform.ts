import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const typeform: Provider = {
  name: 'typeform',
  title: 'Typeform',
  scheme: 'hmac',
  ...hmac({ header: 'typeform-signature', encoding: 'base64', form: behind('sha256=') }),
  makesSecret: true,
  eventId: at('/event_id'),
  eventType: at('/event_type'),
  sample: ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: 'lT4Z3j',
        submitted_at: now.toISOString(),
        answers: [{ type: 'text', text: 'Ada', field: { id: 'DlXFaesGBpoF', type: 'short_text' } }],
      },
    },
  }),
};
