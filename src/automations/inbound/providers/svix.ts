import { standard as check, standardSecretProblem } from '../schemes/standard.ts';
import { at, header, type Provider } from './provider.ts';

export const svix: Provider = {
  name: 'svix',
  title: 'Svix',
  scheme: 'svix',
  check: check('svix'),
  secretProblem: standardSecretProblem,
  eventId: header('svix-id'),
  eventType: at('/type'),
};
