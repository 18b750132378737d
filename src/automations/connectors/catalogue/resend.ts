import { z } from 'zod';
import type { Connector } from './connector.ts';
import { secret, text, textOrTexts } from './fields.ts';

const API = 'https://api.resend.com';

export const resend: Connector = {
  id: 'resend',
  name: 'Resend',
  description: 'Send emails. A retry does not send a second one.',
  category: 'email',
  colour: '1c1c1c',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ apiKey: secret('API key; begins with `re_`.') }),
    headers: { authorization: 'Bearer {apiKey}' },
  },
  test: { method: 'GET', url: `${API}/domains` },
  operations: [
    {
      id: 'send-email',
      name: 'Send an email',
      description: 'Sends plain text, HTML or both.',
      input: z.strictObject({
        from: text('Sender address, of a verified domain.'),
        to: textOrTexts('Recipient addresses.'),
        subject: text('Subject.'),
        text: text('Plain text.').exactOptional(),
        html: text('HTML.').exactOptional(),
        replyTo: textOrTexts('Reply-to addresses.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/emails`,
        json: {
          from: '$from',
          to: '$to',
          subject: '$subject',
          text: '$text',
          html: '$html',
          reply_to: '$replyTo',
        },
        idempotencyHeader: 'idempotency-key',
      },
    },
  ],
};
