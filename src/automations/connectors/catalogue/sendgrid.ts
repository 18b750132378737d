import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, secret, text } from './fields.ts';

const API = 'https://api.sendgrid.com/v3';
const addresses = { to: text('Recipient address.'), from: text('Address of a verified sender.') };

export const sendgrid: Connector = {
  id: 'sendgrid',
  name: 'SendGrid',
  description: 'Send emails, from text or from a template.',
  category: 'email',
  colour: '1a82a8',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ apiKey: secret('API key; begins with `SG.`.') }),
    headers: { authorization: 'Bearer {apiKey}' },
  },
  test: { method: 'GET', url: `${API}/scopes` },
  operations: [
    {
      id: 'send-email',
      name: 'Send an email',
      description: 'Sends a text to one recipient.',
      input: z.strictObject({
        ...addresses,
        subject: text('Subject.'),
        body: text('Text, or HTML if `contentType` says so.'),
        contentType: z.enum(['text/plain', 'text/html']).default('text/plain').describe('Media type of the body.'),
      }),
      request: {
        method: 'POST',
        url: `${API}/mail/send`,
        json: {
          personalizations: [{ to: [{ email: '$to' }] }],
          from: { email: '$from' },
          subject: '$subject',
          content: [{ type: '$contentType', value: '$body' }],
        },
      },
    },
    {
      id: 'send-template',
      name: 'Send a template',
      description: 'Sends a dynamic template to one recipient.',
      input: z.strictObject({
        ...addresses,
        templateId: text('Template id; begins with `d-`.'),
        data: object('Values for the template.').default({}),
      }),
      request: {
        method: 'POST',
        url: `${API}/mail/send`,
        json: {
          personalizations: [{ to: [{ email: '$to' }], dynamic_template_data: '$data' }],
          from: { email: '$from' },
          template_id: '$templateId',
        },
      },
    },
  ],
};
