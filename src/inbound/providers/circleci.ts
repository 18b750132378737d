import { hmac, pairs } from '../schemes/hmac.ts';
import { at, type Provider } from './provider.ts';

export const circleci: Provider = {
  name: 'circleci',
  title: 'CircleCI',
  scheme: 'hmac',
  ...hmac({ header: 'circleci-signature', form: pairs({ signature: 'v1' }) }),
  makesSecret: true,
  eventId: at('/id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    headers: { 'Circleci-Event-Type': 'workflow-completed' },
    body: {
      type: 'workflow-completed',
      id,
      happened_at: now.toISOString(),
      workflow: { name: 'build-and-test', status: 'success' },
      pipeline: { number: 27, vcs: { branch: 'main' } },
      project: { name: 'shop', slug: 'github/acme/shop' },
    },
  }),
};
