import { twilio as check } from '../schemes/twilio.ts';
import { at, first, type Provider } from './provider.ts';

const id = first(at('/MessageSid'), at('/CallSid'));
const status = first(at('/MessageStatus'), at('/CallStatus'));

/** A message or call is told of once for each of its states: the state is part of the id. A message that comes in has its id alone. */
export const twilio: Provider = {
  name: 'twilio',
  title: 'Twilio',
  scheme: 'twilio',
  check,
  eventId(incoming) {
    const found = id(incoming);
    const state = status(incoming);
    return found === undefined || state === undefined ? found : `${found}:${state}`;
  },
  eventType: first(at('/EventType'), status, at('/SmsStatus')),
};
