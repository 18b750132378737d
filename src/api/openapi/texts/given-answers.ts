import { ANSWERS } from '../generated/answers.ts';
import { EXAMPLE_TIME, exampleId } from './example-ids.ts';

const SIGNED_IN = ANSWERS['GET /v1/session'];
const SINGLE_SIGN_ON = {
  url: 'https://login.example.com/authorize?client_id=posthorn&response_type=code&scope=openid%20email',
};
const recoveryCodes = ['exam-ple0-exam-ple0', 'exam-ple1-exam-ple1'];

/** A line of an export: the first thing of its list. */
function lineOf(endpoint: string): string {
  // `as`: each is a page of a list.
  const { data } = ANSWERS[endpoint] as { data: unknown[] };
  return `${JSON.stringify(data[0])}\n`;
}

/**
 * Good answers that no test can record, by endpoint: the request of the example belongs to a moment and is refused afterwards, or the
 * answer is no JSON. A route without either fails a test.
 */
export const GIVEN_ANSWERS: Readonly<Record<string, unknown>> = {
  'POST /v1/setup': SIGNED_IN,
  'POST /v1/sign-in': SIGNED_IN,
  'POST /v1/sign-in/second-factor': SIGNED_IN,
  'POST /v1/sign-in/passkey': SIGNED_IN,
  'POST /v1/invitations/accept': SIGNED_IN,
  'POST /v1/sign-in/second-factor/options': ANSWERS['POST /v1/sign-in/passkey/options'],
  'POST /v1/sign-in/single-sign-on': SINGLE_SIGN_ON,
  'POST /v1/session/authenticate/single-sign-on': SINGLE_SIGN_ON,
  'POST /v1/user/totp/confirm': { recoveryCodes },
  'POST /v1/user/recovery-codes': { recoveryCodes },
  'POST /v1/user/passkeys': {
    id: exampleId('passkey'),
    name: 'Phone',
    createdAt: EXAMPLE_TIME,
    isBackedUp: true,
    recoveryCodes,
  },
  'POST /v1/invitations/look': {
    organisation: { id: exampleId('organisation'), name: 'Acme' },
    email: 'ada@example.com',
    role: 'viewer',
    expiresAt: EXAMPLE_TIME,
    hasAccount: false,
  },
  'POST /oauth/token': {
    access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJleGFtcGxlIjp0cnVlfQ.ZXhhbXBsZQ',
    token_type: 'DPoP',
    expires_in: 900,
    scope: 'messages:write',
  },
  'POST /v1/webhooks/:webhookId': { received: true, messageId: exampleId('message') },
  'GET /v1/messages/export': lineOf('GET /v1/channels/:channelId/messages'),
  'GET /v1/deliveries/export': lineOf('GET /v1/deliveries'),
  'GET /v1/dlq/export': lineOf('GET /v1/dlq'),
  'GET /v1/runs/export': lineOf('GET /v1/runs'),
};
