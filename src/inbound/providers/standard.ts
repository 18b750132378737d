import { standard as signature, standardSecretProblem } from '../schemes/standard.ts';
import { at, header, type Provider } from './provider.ts';

/** Everyone who follows Standard Webhooks, GitLab's signing tokens among them. */
export const standard: Provider = {
  name: 'standard',
  title: 'Standard Webhooks',
  scheme: 'standard',
  ...signature('webhook'),
  secretProblem: standardSecretProblem,
  makesSecret: true,
  eventId: header('webhook-id'),
  eventType: at('/type'),
  sample: ({ now }) => ({
    body: { type: 'order.paid', timestamp: now.toISOString(), data: { id: '1001', total: 12.5, currency: 'EUR' } },
  }),
};
