import { basic, type ConnectorVectors } from './vector.ts';

const repository = { owner: 'acme', repo: 'shop' };

/** Connectors of development, projects and incidents. */
export const WORK_VECTORS: Record<string, ConnectorVectors> = {
  github: {
    credentials: { token: 'ghp_1' },
    headers: {
      authorization: 'Bearer ghp_1',
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
    operations: {
      'create-issue': {
        params: { ...repository, title: 'Broken', body: 'No light', labels: ['bug'], assignees: ['ann'] },
        method: 'POST',
        to: 'api.github.com/repos/acme/shop/issues',
        json: { title: 'Broken', body: 'No light', labels: ['bug'], assignees: ['ann'] },
      },
      'comment-issue': {
        params: { ...repository, number: 7, body: 'Mended' },
        method: 'POST',
        to: 'api.github.com/repos/acme/shop/issues/7/comments',
        json: { body: 'Mended' },
      },
      'run-workflow': {
        params: { ...repository, workflow: 'deploy.yml', ref: 'main', inputs: { to: 'live' } },
        method: 'POST',
        to: 'api.github.com/repos/acme/shop/actions/workflows/deploy.yml/dispatches',
        json: { ref: 'main', inputs: { to: 'live' } },
      },
    },
  },
  gitlab: {
    credentials: { token: 'glpat-1' },
    headers: { 'private-token': 'glpat-1' },
    operations: {
      'create-issue': {
        params: { project: 'acme/shop', title: 'Broken', labels: 'bug,till' },
        method: 'POST',
        to: 'gitlab.com/api/v4/projects/acme%2Fshop/issues',
        json: { title: 'Broken', labels: 'bug,till' },
      },
      'comment-issue': {
        params: { project: 42, issue: 7, body: 'Mended' },
        method: 'POST',
        to: 'gitlab.com/api/v4/projects/42/issues/7/notes',
        json: { body: 'Mended' },
      },
      'run-pipeline': {
        params: { project: 42, ref: 'main' },
        method: 'POST',
        to: 'gitlab.com/api/v4/projects/42/pipeline',
        json: { ref: 'main' },
      },
    },
  },
  jira: {
    credentials: { site: 'acme', email: 'ann@example.com', apiToken: 'jt' },
    headers: { authorization: basic('ann@example.com', 'jt'), accept: 'application/json' },
    operations: {
      'create-issue': {
        params: { project: 'OPS', issueType: 'Bug', summary: 'Broken' },
        method: 'POST',
        to: 'acme.atlassian.net/rest/api/2/issue',
        json: { fields: { project: { key: 'OPS' }, issuetype: { name: 'Bug' }, summary: 'Broken' } },
      },
      'comment-issue': {
        params: { issue: 'OPS-7', body: 'Mended' },
        method: 'POST',
        to: 'acme.atlassian.net/rest/api/2/issue/OPS-7/comment',
        json: { body: 'Mended' },
      },
      'move-issue': {
        params: { issue: 'OPS-7', transition: '31', fields: { resolution: { name: 'Done' } } },
        method: 'POST',
        to: 'acme.atlassian.net/rest/api/2/issue/OPS-7/transitions',
        json: { transition: { id: '31' }, fields: { resolution: { name: 'Done' } } },
      },
    },
  },
  linear: {
    credentials: { apiKey: 'lin_api_1' },
    headers: { authorization: 'lin_api_1' },
    operations: {
      'create-issue': {
        params: { teamId: 't1', title: 'Broken', priority: 1 },
        method: 'POST',
        to: 'api.linear.app/graphql',
        json: {
          query:
            'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier url } } }',
          variables: { input: { teamId: 't1', title: 'Broken', priority: 1 } },
        },
      },
      'comment-issue': {
        params: { issueId: 'i1', body: 'Mended' },
        method: 'POST',
        to: 'api.linear.app/graphql',
        json: {
          query:
            'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }',
          variables: { input: { issueId: 'i1', body: 'Mended' } },
        },
      },
    },
  },
  sentry: {
    credentials: { organisation: 'acme', token: 'sntrys_1' },
    headers: { authorization: 'Bearer sntrys_1' },
    operations: {
      'update-issue': {
        params: { issueId: '42', status: 'resolved', assignedTo: 'team:7' },
        method: 'PUT',
        to: 'sentry.io/api/0/organizations/acme/issues/42/',
        json: { status: 'resolved', assignedTo: 'team:7' },
      },
      'create-release': {
        params: { version: '1.2.3', projects: ['shop'] },
        method: 'POST',
        to: 'sentry.io/api/0/organizations/acme/releases/',
        json: { version: '1.2.3', projects: ['shop'] },
      },
    },
  },
  pagerduty: {
    credentials: { routingKey: 'rk' },
    operations: {
      trigger: {
        params: { summary: 'Down', source: 'till', severity: 'critical', details: { since: 7 } },
        method: 'POST',
        to: 'events.pagerduty.com/v2/enqueue',
        json: {
          routing_key: 'rk',
          event_action: 'trigger',
          dedup_key: 'run_1:ask:',
          payload: { summary: 'Down', source: 'till', severity: 'critical', custom_details: { since: 7 } },
        },
      },
      resolve: {
        params: { dedupKey: 'till' },
        method: 'POST',
        to: 'events.pagerduty.com/v2/enqueue',
        json: { routing_key: 'rk', event_action: 'resolve', dedup_key: 'till' },
      },
    },
  },
  opsgenie: {
    credentials: { apiKey: 'og' },
    headers: { authorization: 'GenieKey og' },
    operations: {
      'create-alert': {
        params: { message: 'Down', alias: 'till', priority: 'P1', tags: ['shop'] },
        method: 'POST',
        to: 'api.opsgenie.com/v2/alerts',
        json: { message: 'Down', alias: 'till', priority: 'P1', tags: ['shop'] },
      },
      'close-alert': {
        params: { alias: 'till 7', note: 'Up' },
        method: 'POST',
        to: 'api.opsgenie.com/v2/alerts/till%207/close?identifierType=alias',
        json: { note: 'Up' },
      },
    },
  },
};
