import { token } from '../schemes/token.ts';
import { at, type Provider } from './provider.ts';

const SECRET = /^[A-Za-z0-9_-]{1,256}$/;

/** Bots send the secret token as it is. */
export const telegram: Provider = {
  name: 'telegram',
  title: 'Telegram',
  scheme: 'token',
  check: token('x-telegram-bot-api-secret-token'),
  secretProblem: (secret) =>
    SECRET.test(secret) ? undefined : 'must be 1 to 256 letters, digits, hyphens and underscores',
  makesSecret: true,
  eventId: at('/update_id'),
};
