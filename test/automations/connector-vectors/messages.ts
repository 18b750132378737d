import { basic, type ConnectorVectors, KEY } from './vector.ts';

const sid = `AC${'0'.repeat(32)}`;

/** Connectors of messaging and e-mail. */
export const MESSAGE_VECTORS: Record<string, ConnectorVectors> = {
  slack: {
    credentials: { token: 'xoxb-1-2' },
    headers: { authorization: 'Bearer xoxb-1-2' },
    operations: {
      'post-message': {
        params: { channel: 'C1', text: 'Hello', threadTs: '1700000000.1', blocks: [{ type: 'divider' }] },
        method: 'POST',
        to: 'slack.com/api/chat.postMessage',
        json: { channel: 'C1', text: 'Hello', thread_ts: '1700000000.1', blocks: [{ type: 'divider' }] },
      },
      'update-message': {
        params: { channel: 'C1', ts: '1700000000.1', text: 'Bye' },
        method: 'POST',
        to: 'slack.com/api/chat.update',
        json: { channel: 'C1', ts: '1700000000.1', text: 'Bye' },
      },
      'find-person': {
        params: { email: 'ann+x@example.com' },
        method: 'GET',
        to: 'slack.com/api/users.lookupByEmail?email=ann%2Bx%40example.com',
      },
    },
  },
  discord: {
    operations: {
      'post-message': {
        params: {
          webhookUrl: 'https://discord.com/api/webhooks/1/abc?thread_id=7',
          content: 'Hello',
          username: 'Shop',
        },
        method: 'POST',
        to: 'discord.com/api/webhooks/1/abc?thread_id=7&wait=true',
        json: { content: 'Hello', username: 'Shop' },
      },
    },
  },
  'microsoft-teams': {
    operations: {
      'post-message': {
        params: { webhookUrl: 'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers?sig=x', text: '**Hi**' },
        method: 'POST',
        to: 'prod-1.westeurope.logic.azure.com/workflows/1/triggers?sig=x',
        json: {
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              contentUrl: null,
              content: {
                $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
                type: 'AdaptiveCard',
                version: '1.4',
                body: [{ type: 'TextBlock', text: '**Hi**', wrap: true }],
              },
            },
          ],
        },
      },
      'post-card': {
        params: { webhookUrl: 'https://a.example/x', card: { type: 'AdaptiveCard', version: '1.5', body: ['$text'] } },
        method: 'POST',
        to: 'a.example/x',
        json: {
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              contentUrl: null,
              // A value is never evaluated as a template again.
              content: { type: 'AdaptiveCard', version: '1.5', body: ['$text'] },
            },
          ],
        },
      },
    },
  },
  telegram: {
    credentials: { token: '123:AB-c_d' },
    operations: {
      'send-message': {
        params: { chatId: -1001234567890, text: '*Hi*', parseMode: 'MarkdownV2', silent: true },
        method: 'POST',
        to: 'api.telegram.org/bot123:AB-c_d/sendMessage',
        json: { chat_id: -1001234567890, text: '*Hi*', parse_mode: 'MarkdownV2', disable_notification: true },
      },
      'send-photo': {
        params: { chatId: '@shop', photo: 'https://a.example/p.png' },
        method: 'POST',
        to: 'api.telegram.org/bot123:AB-c_d/sendPhoto',
        json: { chat_id: '@shop', photo: 'https://a.example/p.png' },
      },
    },
  },
  twilio: {
    credentials: { accountSid: sid, authToken: 'token' },
    headers: { authorization: basic(sid, 'token') },
    operations: {
      'send-message': {
        params: { to: '+4915112345678', from: '+1555', body: 'Hi & bye' },
        method: 'POST',
        to: `api.twilio.com/2010-04-01/Accounts/${sid}/Messages.json`,
        form: { To: '+4915112345678', From: '+1555', Body: 'Hi & bye' },
      },
      'make-call': {
        params: { to: '+49', from: '+1', twiml: '<Response><Say>Hi</Say></Response>' },
        method: 'POST',
        to: `api.twilio.com/2010-04-01/Accounts/${sid}/Calls.json`,
        form: { To: '+49', From: '+1', Twiml: '<Response><Say>Hi</Say></Response>' },
      },
    },
  },
  sendgrid: {
    credentials: { apiKey: 'SG.1' },
    headers: { authorization: 'Bearer SG.1' },
    operations: {
      'send-email': {
        params: { to: 'a@example.com', from: 'b@example.com', subject: 'Hi', body: 'Hello' },
        method: 'POST',
        to: 'api.sendgrid.com/v3/mail/send',
        json: {
          personalizations: [{ to: [{ email: 'a@example.com' }] }],
          from: { email: 'b@example.com' },
          subject: 'Hi',
          content: [{ type: 'text/plain', value: 'Hello' }],
        },
      },
      'send-template': {
        params: { to: 'a@example.com', from: 'b@example.com', templateId: 'd-1', data: { total: 7 } },
        method: 'POST',
        to: 'api.sendgrid.com/v3/mail/send',
        json: {
          personalizations: [{ to: [{ email: 'a@example.com' }], dynamic_template_data: { total: 7 } }],
          from: { email: 'b@example.com' },
          template_id: 'd-1',
        },
      },
    },
  },
  mailgun: {
    credentials: { apiKey: 'key-1', domain: 'mg.example.com', host: 'api.eu.mailgun.net' },
    headers: { authorization: basic('api', 'key-1') },
    operations: {
      'send-email': {
        params: { from: 'b@example.com', to: 'a@example.com', subject: 'Hi', html: '<b>Hi</b>', tag: 'welcome' },
        method: 'POST',
        to: 'api.eu.mailgun.net/v3/mg.example.com/messages',
        form: { from: 'b@example.com', to: 'a@example.com', subject: 'Hi', html: '<b>Hi</b>', 'o:tag': 'welcome' },
      },
    },
  },
  postmark: {
    credentials: { serverToken: 'pm-1' },
    headers: { 'x-postmark-server-token': 'pm-1', accept: 'application/json' },
    operations: {
      'send-email': {
        params: { from: 'b@example.com', to: 'a@example.com', subject: 'Hi', text: 'Hello', messageStream: 'outbound' },
        method: 'POST',
        to: 'api.postmarkapp.com/email',
        json: {
          From: 'b@example.com',
          To: 'a@example.com',
          Subject: 'Hi',
          TextBody: 'Hello',
          MessageStream: 'outbound',
        },
      },
      'send-template': {
        params: { from: 'b@example.com', to: 'a@example.com', templateAlias: 'welcome', model: { name: 'Ann' } },
        method: 'POST',
        to: 'api.postmarkapp.com/email/withTemplate',
        json: {
          From: 'b@example.com',
          To: 'a@example.com',
          TemplateAlias: 'welcome',
          TemplateModel: { name: 'Ann' },
        },
      },
    },
  },
  resend: {
    credentials: { apiKey: 're_1' },
    headers: { authorization: 'Bearer re_1' },
    operations: {
      'send-email': {
        params: {
          from: 'b@example.com',
          to: ['a@example.com'],
          subject: 'Hi',
          text: 'Hello',
          replyTo: 'c@example.com',
        },
        method: 'POST',
        to: 'api.resend.com/emails',
        headers: { 'idempotency-key': KEY },
        json: {
          from: 'b@example.com',
          to: ['a@example.com'],
          subject: 'Hi',
          text: 'Hello',
          reply_to: 'c@example.com',
        },
      },
    },
  },
};
