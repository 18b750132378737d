import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, secret, text, whole } from './fields.ts';

const PROJECT = 'https://gitlab.com/api/v4/projects/{project}';
const project = z.union([z.int(), z.string().min(1)]).describe('Id of the project, or its path such as `group/name`.');

export const gitlab: Connector = {
  id: 'gitlab',
  name: 'GitLab',
  description: 'Create issues, comment on them, and start pipelines.',
  category: 'development',
  colour: 'c7481f',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Access token with the scope `api`.') }),
    headers: { 'private-token': '{token}' },
  },
  test: { method: 'GET', url: 'https://gitlab.com/api/v4/user' },
  operations: [
    {
      id: 'create-issue',
      name: 'Create an issue',
      description: 'Creates an issue in a project.',
      input: z.strictObject({
        project,
        title: text('Title.'),
        description: text('Text, in Markdown.').exactOptional(),
        labels: text('Labels, separated by commas.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${PROJECT}/issues`,
        json: { title: '$title', description: '$description', labels: '$labels' },
      },
    },
    {
      id: 'comment-issue',
      name: 'Comment on an issue',
      description: 'Adds a note to an issue.',
      input: z.strictObject({ project, issue: whole('Number of the issue.'), body: text('Text, in Markdown.') }),
      request: { method: 'POST', url: `${PROJECT}/issues/{issue}/notes`, json: { body: '$body' } },
    },
    {
      id: 'run-pipeline',
      name: 'Start a pipeline',
      description: 'Starts a pipeline for a branch or tag.',
      input: z.strictObject({
        project,
        ref: text('Branch or tag.'),
        inputs: object('Inputs of the pipeline.').exactOptional(),
      }),
      request: { method: 'POST', url: `${PROJECT}/pipeline`, json: { ref: '$ref', inputs: '$inputs' } },
    },
  ],
};
