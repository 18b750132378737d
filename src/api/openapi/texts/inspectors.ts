import type { OperationText } from './operation-text.ts';

/** Inspectors. */
export const inspectorTexts: Readonly<Record<string, OperationText>> = {
  'GET /v1/inspectors': {
    summary: 'List inspectors',
    description: 'Inspectors of the environment, the newest first.',
  },
  'POST /v1/inspectors': {
    summary: 'Make an inspector',
    description:
      'Gives an address of this service that shows what arrives, and answers as you say. A subscription may have it as its target. An ' +
      'environment has at most 20.',
    example: { body: { name: 'First look', answer: { status: 503, failurePercent: 0 } } },
  },
  'GET /v1/inspectors/:inspectorId': {
    summary: 'Get an inspector',
    description: 'Shows one inspector.',
  },
  'PATCH /v1/inspectors/:inspectorId': {
    summary: 'Change an inspector',
    description:
      'Changes the fields that are given, those of `answer` one by one. The next request gets the new answer.',
    example: { body: { answer: { status: 500 } } },
  },
  'DELETE /v1/inspectors/:inspectorId': {
    summary: 'Delete an inspector',
    description: 'Its address is unknown from now on, and its requests are gone.',
  },
  'GET /v1/inspectors/:inspectorId/requests': {
    summary: 'List requests that arrived',
    description: 'The newest 200 requests of the last 24 hours, newest first, without headers and bodies.',
  },
  'GET /v1/inspected-requests/:inspectedRequestId': {
    summary: 'Get a request that arrived',
    description: 'Shows its headers and its exact body, with the verdict on its signature.',
  },
  'DELETE /v1/inspectors/:inspectorId/requests': {
    summary: 'Forget requests that arrived',
    description: 'Empties the inspector. New requests are shown again.',
  },
};
