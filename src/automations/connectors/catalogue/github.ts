import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, secret, text, texts, whole } from './fields.ts';

const API = 'https://api.github.com';
const REPOSITORY = `${API}/repos/{owner}/{repo}`;
const repository = { owner: text('Owner of the repository.'), repo: text('Name of the repository.') };

export const github: Connector = {
  id: 'github',
  name: 'GitHub',
  description: 'Create issues, comment on them, and start Actions workflows.',
  category: 'development',
  colour: '24292f',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Personal access token.') }),
    headers: { authorization: 'Bearer {token}' },
  },
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  test: { method: 'GET', url: `${API}/user` },
  operations: [
    {
      id: 'create-issue',
      name: 'Create an issue',
      description: 'Creates an issue in a repository.',
      input: z.strictObject({
        ...repository,
        title: text('Title.'),
        body: text('Text, in Markdown.').exactOptional(),
        labels: texts('Labels.').exactOptional(),
        assignees: texts('Login names.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${REPOSITORY}/issues`,
        json: { title: '$title', body: '$body', labels: '$labels', assignees: '$assignees' },
      },
    },
    {
      id: 'comment-issue',
      name: 'Comment on an issue',
      description: 'Comments on an issue or a pull request.',
      input: z.strictObject({
        ...repository,
        number: whole('Number of the issue or pull request.'),
        body: text('Text, in Markdown.'),
      }),
      request: { method: 'POST', url: `${REPOSITORY}/issues/{number}/comments`, json: { body: '$body' } },
    },
    {
      id: 'run-workflow',
      name: 'Start an Actions workflow',
      description: 'Starts a workflow with the trigger `workflow_dispatch`.',
      input: z.strictObject({
        ...repository,
        workflow: text('File name or id of the workflow.'),
        ref: text('Branch or tag.'),
        inputs: object('Inputs of the workflow.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${REPOSITORY}/actions/workflows/{workflow}/dispatches`,
        json: { ref: '$ref', inputs: '$inputs' },
      },
    },
  ],
};
