import { hmac } from '../schemes/hmac.ts';
import { requireFresh } from '../schemes/reading.ts';
import { type SignatureCheck, SignatureRefused } from '../schemes/scheme.ts';
import { at, header, type Provider } from './provider.ts';

const signed = hmac({ header: 'linear-signature' });
const sentAt = at('/webhookTimestamp');
/** Linear's own advice. */
const TOLERANCE_SECONDS = 60;

/** The time is a field of the signed body. */
const check: SignatureCheck = async (incoming, secrets, context) => {
  await signed(incoming, secrets, context);
  const timestamp = sentAt(incoming);
  if (timestamp === undefined) throw new SignatureRefused('signature_malformed', 'webhookTimestamp is missing');
  requireFresh(timestamp, { now: context.now, unit: 'milliseconds', tolerance: TOLERANCE_SECONDS });
  return {};
};

export const linear: Provider = {
  name: 'linear',
  title: 'Linear',
  scheme: 'hmac',
  check,
  eventId: header('linear-delivery'),
  eventType: header('linear-event'),
};
