import { token } from '../schemes/token.ts';
import { header, type Provider } from './provider.ts';

/** A push, as both ways of GitLab's signing send it. */
export const gitlabPush = {
  object_kind: 'push',
  event_name: 'push',
  ref: 'refs/heads/main',
  user_username: 'ada',
  project: { id: 15, name: 'shop', path_with_namespace: 'acme/shop' },
  commits: [{ id: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7', message: 'Sort the list' }],
  total_commits_count: 1,
};

/** GitLab with a secret token, which is sent as it is. */
export const gitlab: Provider = {
  name: 'gitlab',
  title: 'GitLab',
  scheme: 'gitlab',
  ...token('x-gitlab-token'),
  makesSecret: true,
  eventId: header('idempotency-key'),
  eventType: header('x-gitlab-event'),
  sample: ({ id }) => ({
    headers: { 'X-Gitlab-Event': 'Push Hook', 'Idempotency-Key': id },
    body: gitlabPush,
  }),
};
