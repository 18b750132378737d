import { z } from 'zod';
import type { Connector } from './connector.ts';
import { secret, text, textOrTexts, whole } from './fields.ts';

const API = 'https://api.openai.com/v1';

export const openai: Connector = {
  id: 'openai',
  name: 'OpenAI',
  description: 'Send prompts to models, create embeddings, and moderate text.',
  category: 'ai',
  colour: '0f6b56',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ apiKey: secret('API key.') }),
    headers: { authorization: 'Bearer {apiKey}' },
  },
  test: { method: 'GET', url: `${API}/models` },
  operations: [
    {
      id: 'create-response',
      name: 'Send a prompt',
      description: 'Gets one answer of a model.',
      input: z.strictObject({
        model: text('Name of the model.'),
        input: text('Question or text.'),
        instructions: text('How the model is to behave.').exactOptional(),
        maxOutputTokens: whole('Tokens of the answer at most.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/responses`,
        json: {
          model: '$model',
          input: '$input',
          instructions: '$instructions',
          max_output_tokens: '$maxOutputTokens',
        },
      },
    },
    {
      id: 'create-embeddings',
      name: 'Create embeddings',
      description: 'Turns texts into vectors.',
      input: z.strictObject({ model: text('Name of the model.'), input: textOrTexts('Texts.') }),
      request: { method: 'POST', url: `${API}/embeddings`, json: { model: '$model', input: '$input' } },
    },
    {
      id: 'moderate',
      name: 'Moderate text',
      description: 'Says whether a text may do harm.',
      input: z.strictObject({ input: textOrTexts('Texts.'), model: text('Name of the model.').exactOptional() }),
      request: { method: 'POST', url: `${API}/moderations`, json: { input: '$input', model: '$model' } },
    },
  ],
};
