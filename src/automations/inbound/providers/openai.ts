import type { Provider } from './provider.ts';
import { standard } from './standard.ts';

const { makesSecret: _, ...like } = standard;

/** OpenAI follows Standard Webhooks, and makes the secret itself. */
export const openai: Provider = { ...like, name: 'openai', title: 'OpenAI' };
