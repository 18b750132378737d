import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const circleci: Provider = {
  name: 'circleci',
  title: 'CircleCI',
  scheme: 'hmac',
  check: hmac({ header: 'circleci-signature', read: pairs({ signature: 'v1' }) }),
  makesSecret: true,
  eventId: at('/id'),
  eventType: at('/type'),
};
