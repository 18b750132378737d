import type { Provider } from './provider.ts';
import { svix } from './svix.ts';

/** Resend sends through Svix. */
export const resend: Provider = { ...svix, name: 'resend', title: 'Resend' };
