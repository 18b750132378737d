import type { Provider } from './provider.ts';
import { svix } from './svix.ts';

/** Resend sends through Svix. */
export const resend: Provider = {
  ...svix,
  name: 'resend',
  title: 'Resend',
  sample: ({ id, now }) => ({
    body: {
      type: 'email.delivered',
      created_at: now.toISOString(),
      data: { email_id: id, from: 'shop@example.com', to: ['ada@example.com'], subject: 'Your order' },
    },
  }),
};
