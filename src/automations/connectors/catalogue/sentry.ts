import { z } from 'zod';
import type { Connector } from './connector.ts';
import { oneOf, secret, text, texts } from './fields.ts';

const ORGANISATION = 'https://sentry.io/api/0/organizations/{connection.organisation}';

export const sentry: Connector = {
  id: 'sentry',
  name: 'Sentry',
  description: 'Update issues and create releases.',
  category: 'development',
  colour: '4a3a6b',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({
      organisation: text('Slug of the organisation.'),
      token: secret('Auth token of an internal integration.'),
    }),
    headers: { authorization: 'Bearer {token}' },
  },
  test: { method: 'GET', url: `${ORGANISATION}/` },
  operations: [
    {
      id: 'update-issue',
      name: 'Update an issue',
      description: 'Resolves, reopens or ignores an issue, and assigns it.',
      input: z.strictObject({
        issueId: text('Id of the issue.'),
        status: oneOf(['resolved', 'unresolved', 'ignored'], 'New status.').exactOptional(),
        assignedTo: text('User name, or `team:` and an id.').exactOptional(),
      }),
      request: {
        method: 'PUT',
        url: `${ORGANISATION}/issues/{issueId}/`,
        json: { status: '$status', assignedTo: '$assignedTo' },
      },
    },
    {
      id: 'create-release',
      name: 'Create a release',
      description: 'Creates a release in Sentry.',
      input: z.strictObject({
        version: text('Version.'),
        projects: texts('Slugs of the projects.'),
        url: text('URL of the release.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${ORGANISATION}/releases/`,
        json: { version: '$version', projects: '$projects', url: '$url' },
      },
    },
  ],
};
