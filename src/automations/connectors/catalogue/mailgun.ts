import { z } from 'zod';
import type { Connector } from './connector.ts';
import { oneOf, secret, text } from './fields.ts';

export const mailgun: Connector = {
  id: 'mailgun',
  name: 'Mailgun',
  description: 'Send emails from your own domain.',
  category: 'email',
  colour: 'b83a4b',
  auth: {
    type: 'basic',
    credentials: z.strictObject({
      apiKey: secret('API key.'),
      domain: text('Sending domain.'),
      host: oneOf(['api.mailgun.net', 'api.eu.mailgun.net'], 'Region of the domain.').default('api.mailgun.net'),
    }),
    username: 'api',
    password: '{apiKey}',
  },
  test: { method: 'GET', url: 'https://{connection.host}/v4/domains/{connection.domain}' },
  operations: [
    {
      id: 'send-email',
      name: 'Send an email',
      description: 'Sends plain text, HTML or both.',
      input: z.strictObject({
        from: text('Sender address.'),
        to: text('Recipient address; separate several with commas.'),
        subject: text('Subject.'),
        text: text('Plain text.').exactOptional(),
        html: text('HTML.').exactOptional(),
        tag: text('Tag for statistics.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: 'https://{connection.host}/v3/{connection.domain}/messages',
        form: { from: '$from', to: '$to', subject: '$subject', text: '$text', html: '$html', 'o:tag': '$tag' },
      },
    },
  ],
};
