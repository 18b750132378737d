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
        .regex(/^AC[0-9a-f]{32}$/i, 'must be AC followed by 32 hexadecimal digits')
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
      description: 'Sends a text message or a WhatsApp message.',
      input: z.strictObject({
        to: text('Recipient number, such as `+4915112345678`.'),
        from: text('Sender number.').exactOptional(),
        messagingServiceSid: text('Messaging service to use instead of `from`.').exactOptional(),
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
      description: 'Calls a number and executes TwiML.',
      input: z.strictObject({
        to: text('Number to call.'),
        from: text('Number to call from.'),
        twiml: text('TwiML, such as `<Response><Say>Hello</Say></Response>`.'),
      }),
      request: {
        method: 'POST',
        url: `${ACCOUNT}/Calls.json`,
        form: { To: '$to', From: '$from', Twiml: '$twiml' },
      },
    },
  ],
};
