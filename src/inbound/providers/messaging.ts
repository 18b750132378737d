import { createHmac } from 'node:crypto';
import { behind, hmac } from '../schemes/hmac.ts';
import { at, type Provider, first, withContent, bodyBytes } from './provider.ts';
import { signedText, signForTwilio, twilio as checkTwilio } from '../schemes/twilio.ts';
import { token } from '../schemes/token.ts';
import { ecdsaKeyProblem, publicKey, ed25519KeyProblem } from '../schemes/public-key.ts';
import { svix } from './general.ts';
import { mailgun as checkMailgun, signForMailgun } from '../schemes/mailgun.ts';

const PING = 1;

/** Interactions. Discord sends invalid signatures on purpose and removes an endpoint that does not respond with 401. */
export const discord: Provider = {
  name: 'discord',
  title: 'Discord',
  scheme: 'ed25519',
  check: publicKey({ kind: 'ed25519', header: 'x-signature-ed25519', timestampHeader: 'x-signature-timestamp' }),
  secretProblem: ed25519KeyProblem,
  eventId: at('/id'),
  eventType: first(at('/data/name'), at('/data/custom_id'), at('/type')),
  handshake: (incoming) => (incoming.content().value['type'] === PING ? { answer: { type: PING } } : undefined),
  refusesWith: 'UNAUTHORIZED',
};

export const mailgun: Provider = {
  name: 'mailgun',
  title: 'Mailgun',
  scheme: 'mailgun',
  check: checkMailgun,
  sign: signForMailgun,
  // The signature covers the token but not the data, so each token is accepted only once.
  eventId: at('/signature/token'),
  eventType: at('/event-data/event'),
  sample: ({ id, now }) => ({
    body: {
      'event-data': {
        event: 'delivered',
        id,
        timestamp: now.getTime() / 1_000,
        recipient: 'ada@example.com',
        message: { headers: { subject: 'Your order', 'message-id': '20261126.1@mg.example.com' } },
      },
    },
  }),
};

/** Resend uses Svix. */
export const resend: Provider = {
  ...svix,
  name: 'resend',
  title: 'Resend',
  sample: ({ id, now }) => ({
    body: {
      type: 'email.delivered',
      created_at: now.toISOString(),
      data: { email_id: id, from: 'shop@example.com', to: ['ada@example.com'], subject: 'Your order' },
    },
  }),
};

/**
 * A request has up to a few hundred events and is repeated as a whole. If SendGrid reports an event twice, it can be
 * the first event of two different requests.
 */
export const sendgrid: Provider = {
  name: 'sendgrid',
  title: 'SendGrid',
  scheme: 'ecdsa',
  check: publicKey({
    kind: 'ecdsa',
    header: 'x-twilio-email-event-webhook-signature',
    timestampHeader: 'x-twilio-email-event-webhook-timestamp',
  }),
  secretProblem: ecdsaKeyProblem,
  eventId: withContent(at('/events/0/sg_event_id'), bodyBytes),
  eventType: at('/events/0/event'),
};

/** Events, commands and interactions. Only events have an id; a click is sent once and has a trigger id. */
export const slack: Provider = {
  name: 'slack',
  title: 'Slack',
  scheme: 'slack',
  ...hmac({
    header: 'x-slack-signature',
    form: behind('v0='),
    timestampHeader: 'x-slack-request-timestamp',
    signed: ({ bytes }, timestamp) => [`v0:${timestamp}:`, bytes],
  }),
  eventId: first(at('/event_id'), at('/trigger_id')),
  eventType: first(at('/event/type'), at('/type'), at('/command')),
  handshake(incoming) {
    const { type, challenge } = incoming.content().value;
    return type === 'url_verification' && typeof challenge === 'string' ? { answer: { challenge } } : undefined;
  },
  jsonField: 'payload',
  sample: ({ id, now }) => ({
    body: {
      type: 'event_callback',
      team_id: 'T1DC2JH3J',
      api_app_id: 'A1',
      event_id: id,
      event_time: Math.floor(now.getTime() / 1_000),
      event: { type: 'app_mention', user: 'U2CERLKJA', channel: 'G8PSS9T3V', text: 'Is the shop open?' },
    },
  }),
};

const SECRET = /^[A-Za-z0-9_-]{1,256}$/;

/** Bots send the secret token in plain text. */
export const telegram: Provider = {
  name: 'telegram',
  title: 'Telegram',
  scheme: 'token',
  ...token('x-telegram-bot-api-secret-token'),
  secretProblem: (secret) =>
    SECRET.test(secret) ? undefined : 'must be 1 to 256 letters, digits, hyphens or underscores',
  makesSecret: true,
  eventId: at('/update_id'),
  sample: ({ number, now }) => ({
    body: {
      update_id: number,
      message: {
        message_id: 1365,
        from: { id: 1111111, is_bot: false, first_name: 'Ada' },
        chat: { id: 1111111, type: 'private', first_name: 'Ada' },
        date: Math.floor(now.getTime() / 1_000),
        text: '/start',
      },
    },
  }),
};

const twilioId = first(at('/MessageSid'), at('/CallSid'));
const twilioStatus = first(at('/MessageStatus'), at('/CallStatus'));

export const twilio: Provider = {
  name: 'twilio',
  title: 'Twilio',
  scheme: 'twilio',
  check: checkTwilio,
  sign: signForTwilio,
  // Twilio reports one call or message many times under its id: status changes, recordings, digits entered. A repeated
  // request has the same parameters and the same signature.
  eventId: withContent(twilioId, signedText),
  eventType: first(at('/EventType'), twilioStatus, at('/SmsStatus')),
  sample: ({ id }) => ({
    form: {
      MessageSid: id,
      MessageStatus: 'delivered',
      SmsStatus: 'delivered',
      AccountSid: 'AC0123456789abcdef0123456789abcdef',
      From: '+14158675309',
      To: '+18005551212',
    },
  }),
};

export const zoom: Provider = {
  name: 'zoom',
  title: 'Zoom',
  scheme: 'hmac',
  ...hmac({
    header: 'x-zm-signature',
    form: behind('v0='),
    timestampHeader: 'x-zm-request-timestamp',
    signed: ({ bytes }, timestamp) => [`v0:${timestamp}:`, bytes],
  }),
  eventType: at('/event'),
  handshake(incoming, [secret = '']) {
    const plainToken = at('/payload/plainToken')(incoming);
    if (incoming.content().value['event'] !== 'endpoint.url_validation' || plainToken === undefined) return undefined;
    const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
    return { answer: { plainToken, encryptedToken } };
  },
  sample: ({ id, now }) => ({
    body: {
      event: 'meeting.started',
      event_ts: now.getTime(),
      payload: { account_id: 'AAAAAABBBB', object: { id: '1234567890', uuid: id, topic: 'Planning', type: 2 } },
    },
  }),
};
