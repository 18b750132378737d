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
      description: "Returns a model's response to a prompt.",
      input: z.strictObject({
        model: text('Name of the model.'),
        input: text('Prompt text.'),
        instructions: text('Instructions for the model.').exactOptional(),
        maxOutputTokens: whole('Maximum number of tokens in the response.').exactOptional(),
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
      description: 'Checks whether a text may be harmful.',
      input: z.strictObject({ input: textOrTexts('Texts.'), model: text('Name of the model.').exactOptional() }),
      request: { method: 'POST', url: `${API}/moderations`, json: { input: '$input', model: '$model' } },
    },
  ],
};
