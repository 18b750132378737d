import type { Provider } from './provider.ts';
import { svix } from './svix.ts';

/** Clerk sends through Svix. */
export const clerk: Provider = {
  ...svix,
  name: 'clerk',
  title: 'Clerk',
  sample: ({ id, now }) => ({
    body: {
      type: 'user.created',
      object: 'event',
      timestamp: now.getTime(),
      data: {
        id: `user_${id}`,
        object: 'user',
        first_name: 'Ada',
        email_addresses: [{ email_address: 'ada@example.com' }],
      },
    },
  }),
};
