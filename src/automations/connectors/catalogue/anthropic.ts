import { z } from 'zod';
import type { Connector } from './connector.ts';
import { objects, secret, text, whole } from './fields.ts';

const API = 'https://api.anthropic.com/v1';

export const anthropic: Connector = {
  id: 'anthropic',
  name: 'Anthropic',
  description: 'Send prompts to Claude models.',
  category: 'ai',
  colour: '9a5a3c',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ apiKey: secret('API key.') }),
    headers: { 'x-api-key': '{apiKey}' },
  },
  headers: { 'anthropic-version': '2023-06-01' },
  test: { method: 'GET', url: `${API}/models` },
  operations: [
    {
      id: 'create-message',
      name: 'Send a prompt',
      description: "Returns a model's response to one prompt.",
      input: z.strictObject({
        model: text('Name of the model.'),
        prompt: text('Prompt text.'),
        system: text('System prompt.').exactOptional(),
        maxTokens: whole('Maximum number of tokens in the response.').default(1_024),
      }),
      request: {
        method: 'POST',
        url: `${API}/messages`,
        json: {
          model: '$model',
          max_tokens: '$maxTokens',
          system: '$system',
          messages: [{ role: 'user', content: '$prompt' }],
        },
      },
    },
    {
      id: 'count-tokens',
      name: 'Count tokens',
      description: 'Counts the tokens of messages.',
      input: z.strictObject({
        model: text('Name of the model.'),
        messages: objects('Messages, with role and content.'),
      }),
      request: {
        method: 'POST',
        url: `${API}/messages/count_tokens`,
        json: { model: '$model', messages: '$messages' },
      },
    },
  ],
};
