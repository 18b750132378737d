import type { Provider } from './provider.ts';
import { standard } from './standard.ts';

const { makesSecret: _, ...like } = standard;

/** OpenAI follows Standard Webhooks, and makes the secret itself. */
export const openai: Provider = {
  ...like,
  name: 'openai',
  title: 'OpenAI',
  sample: ({ now }) => ({
    body: {
      object: 'event',
      type: 'response.completed',
      created_at: Math.floor(now.getTime() / 1_000),
      data: { id: 'resp_abc123' },
    },
  }),
};
