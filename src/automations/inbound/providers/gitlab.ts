import { token } from '../schemes/token.ts';
import { header, type Provider } from './provider.ts';

/** GitLab with a secret token, which is sent as it is. */
export const gitlab: Provider = {
  name: 'gitlab',
  title: 'GitLab',
  scheme: 'gitlab',
  check: token('x-gitlab-token'),
  makesSecret: true,
  eventId: header('idempotency-key'),
  eventType: header('x-gitlab-event'),
};
