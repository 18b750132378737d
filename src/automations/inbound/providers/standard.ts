import { standard as check, standardSecretProblem } from '../schemes/standard.ts';
import { at, header, type Provider } from './provider.ts';

/** Everyone who follows Standard Webhooks, GitLab's signing tokens among them. */
export const standard: Provider = {
  name: 'standard',
  title: 'Standard Webhooks',
  scheme: 'standard',
  check: check('webhook'),
  secretProblem: standardSecretProblem,
  makesSecret: true,
  eventId: header('webhook-id'),
  eventType: at('/type'),
};
