import { hmac } from '../schemes/hmac.ts';
import { withMember } from '../schemes/pointer.ts';
import { requireFresh } from '../schemes/reading.ts';
import { type SignatureCheck, SignatureRefused, type SignSample } from '../schemes/scheme.ts';
import { at, header, type Provider } from './provider.ts';

const signed = hmac({ header: 'linear-signature' });
const sentAt = at('/webhookTimestamp');
/** Linear's own advice. */
const TOLERANCE_SECONDS = 60;

/** The time is a field of the signed body. */
const check: SignatureCheck = async (incoming, secrets, context) => {
  await signed.check(incoming, secrets, context);
  const timestamp = sentAt(incoming);
  if (timestamp === undefined) throw new SignatureRefused('signature_malformed', 'webhookTimestamp is missing');
  requireFresh(timestamp, { now: context.now, unit: 'milliseconds', tolerance: TOLERANCE_SECONDS });
  return {};
};

/** A body that has been written for a while holds an old time: the present one stands there when it is signed. */
const sign: SignSample = (incoming, proof) => {
  const body = withMember(incoming.bytes.toString(), 'webhookTimestamp', String(proof.now.getTime()));
  return { ...signed.sign({ ...incoming, bytes: Buffer.from(body) }, proof), body };
};

export const linear: Provider = {
  name: 'linear',
  title: 'Linear',
  scheme: 'hmac',
  check,
  sign,
  eventId: header('linear-delivery'),
  eventType: header('linear-event'),
  sample: ({ id, now }) => ({
    headers: { 'Linear-Delivery': id, 'Linear-Event': 'Issue' },
    body: {
      action: 'create',
      type: 'Issue',
      createdAt: now.toISOString(),
      data: { id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', identifier: 'SHOP-7', title: 'Sort the list', priority: 2 },
      url: 'https://linear.app/acme/issue/SHOP-7',
      webhookTimestamp: now.getTime(),
    },
  }),
};
