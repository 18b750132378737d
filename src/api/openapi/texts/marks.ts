import type { OperationText } from './operation-text.ts';

/** Marks, and the service itself. */
export const markTexts: Readonly<Record<string, OperationText>> = {
  'GET /v1/marks': {
    summary: 'List marks',
    description: 'Moments that somebody has marked, the latest first. `since` and `until` are about `at`.',
    example: { query: { since: '2026-01-31T12:00:00Z' } },
  },
  'POST /v1/marks': {
    summary: 'Mark a moment',
    description:
      'A deployment of a receiver, as a rule. Failures since then can be asked for. An environment keeps its latest 1,000.',
    example: { body: { name: 'Deploy 4.2' } },
  },
  'DELETE /v1/marks/:markId': {
    summary: 'Delete a mark',
    description: 'Nothing else changes.',
  },
  'GET /v1/service': {
    summary: 'Look at the service',
    description:
      'One verdict with its reasons, and the facts behind it: versions, workers with their leases, due deliveries, sizes of tables and checks. Admins and owners of the first organisation see it.',
  },
  'GET /v1/service/sign-in': {
    summary: 'Look at the ways of signing in',
    description: 'Settings of the operator. Admins and owners of the first organisation see them.',
  },
};
