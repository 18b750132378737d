import { z } from 'zod';
import type { Connector } from './connector.ts';
import { label, object, secret, text } from './fields.ts';

const API = 'https://{connection.site}.atlassian.net/rest/api/2';
const issue = text('Key of the issue, such as `OPS-7`.');

export const jira: Connector = {
  id: 'jira',
  name: 'Jira',
  description: 'Create issues in Jira Cloud, comment on them, and move them.',
  category: 'project_management',
  colour: '1f5fc4',
  auth: {
    type: 'basic',
    credentials: z.strictObject({
      site: label('Name of the site: `acme` for acme.atlassian.net.'),
      email: text('Email address of the account.'),
      apiToken: secret('API token of the account.'),
    }),
    username: '{email}',
    password: '{apiToken}',
  },
  headers: { accept: 'application/json' },
  test: { method: 'GET', url: `${API}/myself` },
  operations: [
    {
      id: 'create-issue',
      name: 'Create an issue',
      description: 'Creates an issue in a project.',
      input: z.strictObject({
        project: text('Key of the project.'),
        issueType: text('Issue type, such as `Task` or `Bug`.'),
        summary: text('Title.'),
        description: text('Text, in Jira markup.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/issue`,
        json: {
          fields: {
            project: { key: '$project' },
            issuetype: { name: '$issueType' },
            summary: '$summary',
            description: '$description',
          },
        },
      },
    },
    {
      id: 'comment-issue',
      name: 'Comment on an issue',
      description: 'Adds a comment.',
      input: z.strictObject({ issue, body: text('Text, in Jira markup.') }),
      request: { method: 'POST', url: `${API}/issue/{issue}/comment`, json: { body: '$body' } },
    },
    {
      id: 'move-issue',
      name: 'Move an issue',
      description: 'Performs a transition of the Jira workflow.',
      input: z.strictObject({
        issue,
        transition: text('Id of the transition.'),
        fields: object('Fields to set with the transition.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/issue/{issue}/transitions`,
        json: { transition: { id: '$transition' }, fields: '$fields' },
      },
    },
  ],
};
