import { standard as signature, standardSecretProblem } from '../schemes/standard.ts';
import { at, header, type Provider } from './provider.ts';

export const svix: Provider = {
  name: 'svix',
  title: 'Svix',
  scheme: 'svix',
  ...signature('svix'),
  secretProblem: standardSecretProblem,
  eventId: header('svix-id'),
  eventType: at('/type'),
  sample: ({ now }) => ({
    body: { type: 'user.created', timestamp: now.toISOString(), data: { id: 'user_1', email: 'ada@example.com' } },
  }),
};
