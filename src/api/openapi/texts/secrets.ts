import type { OperationText } from './operation-text.ts';

/** Secrets of workflows. */
export const secretTexts: Readonly<Record<string, OperationText>> = {
  'POST /v1/secrets': {
    summary: 'Make a secret',
    description:
      'Keeps a text sealed under a name. Steps of workflows send it where they say `{{ secrets.NAME }}`. No answer shows it again.',
    example: { body: { name: 'CRM_TOKEN', value: 'a token of the CRM' } },
  },
  'GET /v1/secrets': {
    summary: 'List secrets',
    description: 'Names of the secrets of the environment, the newest first, without their values.',
  },
  'GET /v1/secrets/:secretId': {
    summary: 'Get a secret',
    description: 'Shows when a secret was made, set and last sent, without its value.',
  },
  'PATCH /v1/secrets/:secretId': {
    summary: 'Set the value of a secret',
    description: 'Sets another value. Attempts of steps send it from now on, those of runs under way too.',
    example: { body: { value: 'another token of the CRM' } },
  },
  'DELETE /v1/secrets/:secretId': {
    summary: 'Delete a secret',
    description: 'Removes a secret for good. A step that still names it fails with the code SECRET_MISSING.',
  },
};
