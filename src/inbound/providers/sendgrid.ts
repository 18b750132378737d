import { ecdsaKeyProblem, publicKey } from '../schemes/public-key.ts';
import { at, bodyBytes, type Provider, withContent } from './provider.ts';

/** A request holds up to some hundred events, and is sent again whole. An event that SendGrid tells of twice may begin two of them. */
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
