import { z } from 'zod';
import { type Connector, SECRET } from './connector.ts';
import { flag, oneOf, text } from './fields.ts';

const API = 'https://api.telegram.org/bot{+connection.token}';
const chatId = z.union([z.int(), z.string().min(1)]).describe('Id of the chat, or `@name` of a channel.');

export const telegram: Connector = {
  id: 'telegram',
  name: 'Telegram',
  description: 'Send messages as a bot.',
  category: 'messaging',
  colour: '1d87bd',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({
      token: z
        .string()
        .regex(/^\d+:[\w-]+$/, 'must be a token such as 123456:ABC-DEF')
        .meta(SECRET)
        .describe('Bot token from BotFather.'),
    }),
  },
  test: { method: 'GET', url: `${API}/getMe` },
  operations: [
    {
      id: 'send-message',
      name: 'Send a message',
      description: 'Sends a text to a chat.',
      input: z.strictObject({
        chatId,
        text: text('Text, up to 4,096 characters.'),
        parseMode: oneOf(['MarkdownV2', 'HTML'], 'Markup of the text.').exactOptional(),
        silent: flag('Whether the message arrives without a sound.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/sendMessage`,
        json: { chat_id: '$chatId', text: '$text', parse_mode: '$parseMode', disable_notification: '$silent' },
      },
    },
    {
      id: 'send-photo',
      name: 'Send a photo',
      description: 'Sends a photo by URL.',
      input: z.strictObject({
        chatId,
        photo: text('URL of the photo.'),
        caption: text('Caption.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/sendPhoto`,
        json: { chat_id: '$chatId', photo: '$photo', caption: '$caption' },
      },
    },
  ],
};
