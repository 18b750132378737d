import { gitlabPush } from './gitlab.ts';
import { first, header, type Provider } from './provider.ts';
import { standard } from './standard.ts';

const { makesSecret: _, ...like } = standard;

/** GitLab with a signing token, which follows Standard Webhooks: to be preferred to the plain token of `gitlab`. */
export const gitlabSigned: Provider = {
  ...like,
  name: 'gitlab-signed',
  title: 'GitLab (signing token)',
  eventId: first(header('webhook-id'), header('idempotency-key')),
  eventType: header('x-gitlab-event'),
  sample: () => ({
    headers: { 'X-Gitlab-Event': 'Push Hook' },
    body: gitlabPush,
  }),
};
