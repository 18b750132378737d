import { z } from 'zod';
import type { Connector } from './connector.ts';
import { secret, text, whole, graphQlRefusal } from './fields.ts';

const url = 'https://api.linear.app/graphql';

export const linear: Connector = {
  id: 'linear',
  name: 'Linear',
  description: 'Create issues and comment on them.',
  category: 'project_management',
  colour: '4b53b8',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ apiKey: secret('Personal API key; begins with `lin_api_`.') }),
    headers: { authorization: '{apiKey}' },
  },
  test: { method: 'POST', url, json: { query: '{ viewer { id } }' } },
  refusal: graphQlRefusal,
  operations: [
    {
      id: 'create-issue',
      name: 'Create an issue',
      description: 'Creates an issue in a team.',
      input: z.strictObject({
        teamId: text('Id of the team.'),
        title: text('Title.'),
        description: text('Text, in Markdown.').exactOptional(),
        priority: whole('0 for none, 1 (urgent) to 4 (low).').exactOptional(),
      }),
      request: {
        method: 'POST',
        url,
        json: {
          query:
            'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier url } } }',
          variables: {
            input: { teamId: '$teamId', title: '$title', description: '$description', priority: '$priority' },
          },
        },
      },
    },
    {
      id: 'comment-issue',
      name: 'Comment on an issue',
      description: 'Adds a comment to an issue.',
      input: z.strictObject({ issueId: text('Id of the issue.'), body: text('Text, in Markdown.') }),
      request: {
        method: 'POST',
        url,
        json: {
          query:
            'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }',
          variables: { input: { issueId: '$issueId', body: '$body' } },
        },
      },
    },
  ],
};
