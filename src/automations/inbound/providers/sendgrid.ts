import { ecdsaKeyProblem, publicKey } from '../schemes/public-key.ts';
import { at, type Provider } from './provider.ts';

/** A request holds up to some hundred events, and is sent again whole. */
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
  eventId: at('/events/0/sg_event_id'),
  eventType: at('/events/0/event'),
};
