import { token } from '../schemes/token.ts';
import { at, type Provider } from './provider.ts';

const SECRET = /^[A-Za-z0-9_-]{1,256}$/;

/** Bots send the secret token as it is. */
export const telegram: Provider = {
  name: 'telegram',
  title: 'Telegram',
  scheme: 'token',
  ...token('x-telegram-bot-api-secret-token'),
  secretProblem: (secret) =>
    SECRET.test(secret) ? undefined : 'must be 1 to 256 letters, digits, hyphens and underscores',
  makesSecret: true,
  eventId: at('/update_id'),
  sample: ({ number, now }) => ({
    body: {
      update_id: number,
      message: {
        message_id: 1365,
        from: { id: 1111111, is_bot: false, first_name: 'Ada' },
        chat: { id: 1111111, type: 'private', first_name: 'Ada' },
        date: Math.floor(now.getTime() / 1_000),
        text: '/start',
      },
    },
  }),
};
