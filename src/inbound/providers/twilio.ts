import { signedText, signForTwilio as sign, twilio as check } from '../schemes/twilio.ts';
import { at, first, type Provider, withContent } from './provider.ts';

const id = first(at('/MessageSid'), at('/CallSid'));
const status = first(at('/MessageStatus'), at('/CallStatus'));

export const twilio: Provider = {
  name: 'twilio',
  title: 'Twilio',
  scheme: 'twilio',
  check,
  sign,
  // A call or message is told of many times under its one id: its states, its recordings, the digits of its caller. Twilio repeats a
  // request with the same parameters and the same signature.
  eventId: withContent(id, signedText),
  eventType: first(at('/EventType'), status, at('/SmsStatus')),
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
