import { z } from 'zod';
import type { Connector } from './connector.ts';
import { secret, text } from './fields.ts';

const ACCOUNT = 'https://api.twilio.com/2010-04-01/Accounts/{connection.accountSid}';

export const twilio: Connector = {
  id: 'twilio',
  name: 'Twilio',
  description: 'Send text messages and start calls.',
  category: 'messaging',
  colour: 'c8324a',
  auth: {
    type: 'basic',
    credentials: z.strictObject({
      accountSid: z
        .string()
        .regex(/^AC[0-9a-f]{32}$/i, 'must begin with AC and have 34 characters')
        .describe('Account SID.'),
      authToken: secret('Auth token of the account.'),
    }),
    username: '{accountSid}',
    password: '{authToken}',
  },
  test: { method: 'GET', url: `${ACCOUNT}.json` },
  operations: [
    {
      id: 'send-message',
      name: 'Send a message',
      description: 'Sends a text message, or one to WhatsApp.',
      input: z.strictObject({
        to: text('Number of the receiver, such as `+4915112345678`.'),
        from: text('Number of the sender.').exactOptional(),
        messagingServiceSid: text('Messaging service, in place of `from`.').exactOptional(),
        body: text('Text of the message.'),
      }),
      request: {
        method: 'POST',
        url: `${ACCOUNT}/Messages.json`,
        form: { To: '$to', From: '$from', MessagingServiceSid: '$messagingServiceSid', Body: '$body' },
      },
    },
    {
      id: 'make-call',
      name: 'Start a call',
      description: 'Calls a number and does what a TwiML text says.',
      input: z.strictObject({
        to: text('Number that is called.'),
        from: text('Number that calls.'),
        twiml: text('Such as `<Response><Say>Hello</Say></Response>`.'),
      }),
      request: {
        method: 'POST',
        url: `${ACCOUNT}/Calls.json`,
        form: { To: '$to', From: '$from', Twiml: '$twiml' },
      },
    },
  ],
};
