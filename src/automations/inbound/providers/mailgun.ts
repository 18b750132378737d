import { mailgun as check } from '../schemes/mailgun.ts';
import { at, type Provider } from './provider.ts';

export const mailgun: Provider = {
  name: 'mailgun',
  title: 'Mailgun',
  scheme: 'mailgun',
  check,
  // The signature covers the token and not the data: good once.
  eventId: at('/signature/token'),
  eventType: at('/event-data/event'),
};
