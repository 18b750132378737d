import type { Provider } from './provider.ts';
import { svix } from './svix.ts';

/** Clerk sends through Svix. */
export const clerk: Provider = { ...svix, name: 'clerk', title: 'Clerk' };
