import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, secret, text } from './fields.ts';

const API = 'https://api.postmarkapp.com';
const addresses = {
  from: text('Address of a confirmed sender.'),
  to: text('Recipient address; separate several with commas.'),
  messageStream: text('Stream, such as `outbound`.').exactOptional(),
};

export const postmark: Connector = {
  id: 'postmark',
  name: 'Postmark',
  description: 'Send emails, from text or from a template.',
  category: 'email',
  colour: 'b8930a',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ serverToken: secret('Server token.') }),
    headers: { 'x-postmark-server-token': '{serverToken}' },
  },
  headers: { accept: 'application/json' },
  test: { method: 'GET', url: `${API}/server` },
  operations: [
    {
      id: 'send-email',
      name: 'Send an email',
      description: 'Sends plain text, HTML or both.',
      input: z.strictObject({
        ...addresses,
        subject: text('Subject.'),
        text: text('Plain text.').exactOptional(),
        html: text('HTML.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/email`,
        json: {
          From: '$from',
          To: '$to',
          Subject: '$subject',
          TextBody: '$text',
          HtmlBody: '$html',
          MessageStream: '$messageStream',
        },
      },
    },
    {
      id: 'send-template',
      name: 'Send a template',
      description: 'Sends a template by its alias.',
      input: z.strictObject({
        ...addresses,
        templateAlias: text('Alias of the template.'),
        model: object('Values for the template.').default({}),
      }),
      request: {
        method: 'POST',
        url: `${API}/email/withTemplate`,
        json: {
          From: '$from',
          To: '$to',
          TemplateAlias: '$templateAlias',
          TemplateModel: '$model',
          MessageStream: '$messageStream',
        },
      },
    },
  ],
};
