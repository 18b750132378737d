import clsx from 'clsx';
import type { ReactNode } from 'react';
import type { ProviderName } from '../../lib/providers.ts';
import type { SchemeChoice } from './words.ts';

/** Simple icons, drawn for Posthorn in a 24 × 24 box: no trademarks. All others show their first letters. */
const SHAPES: Readonly<Partial<Record<ProviderName | SchemeChoice, ReactNode>>> = {
  github: (
    <>
      <circle cx="7" cy="6" r="2.2" />
      <circle cx="7" cy="18" r="2.2" />
      <circle cx="17" cy="8" r="2.2" />
      <path d="M7 8.2v7.6M17 10.2c0 3.4-6 2.6-9 4.6" />
    </>
  ),
  gitlab: <path d="M12 20 4 13l2.5-8 3 7h5l3-7L20 13z" />,
  'gitlab-signed': <path d="M12 20 4 13l2.5-8 3 7h5l3-7L20 13z" />,
  bitbucket: <path d="M4 5h16l-2.4 14H6.4zM9.5 10h5l-.8 5h-3.4z" />,
  stripe: (
    <>
      <rect x="3.5" y="6" width="17" height="12" rx="2" />
      <path d="M3.5 10h17M7 14.5h4" />
    </>
  ),
  shopify: <path d="M5 8h14l1 12H4zM9 10V7a3 3 0 0 1 6 0v3" />,
  woocommerce: <path d="M5 8h14l1 12H4zM9 10V7a3 3 0 0 1 6 0v3" />,
  slack: <path d="M9 4v16M15 4v16M4 9h16M4 15h16" />,
  discord: (
    <path d="M5 6.5c4.5-2 9.5-2 14 0 1.5 3.5 2 7 1.5 10.5-2 1.5-3.5 2-5 2l-1-2h-5l-1 2c-1.5 0-3-.5-5-2C3 13.5 3.5 10 5 6.500zM9.5 12v1M14.5 12v1" />
  ),
  telegram: <path d="m3.5 11.5 17-7-3 15-5.5-4.5-3 3v-5l7.5-6" />,
  linear: <path d="M4 12.5 11.5 20M4 8l12 12M6.5 5 19 17.500M12 4a8 8 0 0 1 8 8" />,
  jira: <path d="m12 3.5 8.5 8.5-8.5 8.500L3.5 12zM12 9l3 3-3 3-3-3z" />,
  vercel: <path d="M12 4.5 21 19H3z" />,
  twilio: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <circle cx="9.3" cy="9.3" r="1.2" />
      <circle cx="14.7" cy="9.3" r="1.2" />
      <circle cx="9.3" cy="14.7" r="1.2" />
      <circle cx="14.7" cy="14.7" r="1.2" />
    </>
  ),
  zoom: (
    <>
      <rect x="3" y="7" width="12" height="10" rx="2.5" />
      <path d="m15 11 6-3v8l-6-3" />
    </>
  ),
  sendgrid: <path d="M4 9h5.300v5.500H4zM9.3 4H20v5H9.300zM9.3 9h5.400v11H9.300z" />,
  mailgun: (
    <>
      <rect x="3.5" y="5.5" width="17" height="13" rx="2" />
      <path d="m4 7 8 6 8-6" />
    </>
  ),
  resend: (
    <>
      <rect x="3.5" y="5.5" width="17" height="13" rx="2" />
      <path d="m4 7 8 6 8-6" />
    </>
  ),
  openai: <path d="m12 3.5 7.4 4.25v8.500L12 20.500l-7.4-4.25v-8.500zM12 8l3.5 2v4L12 16l-3.5-2v-4z" />,
  sns: <path d="M12 3.5 20 8v8l-8 4.500L4 16V8zM4 8l8 4.500L20 8M12 12.500v8" />,
  square: (
    <>
      <rect x="4" y="4" width="16" height="16" rx="3.5" />
      <rect x="9.5" y="9.5" width="5" height="5" rx="1" />
    </>
  ),
  sentry: <path d="M12 4.5 20.5 19h-5c0-4.5-2.5-8-6-9.500M8 12.500c2.3 1.2 3.7 3.5 3.7 6.500H3.500l2-3.5" />,
  pagerduty: <path d="M8 4h5a4.5 4.5 0 0 1 0 9H8zM8 16.500V20" />,
  standard: <path d="M12 3.5 19 6v6c0 4-3 7-7 8.5-4-1.5-7-4.5-7-8.500V6zM9 12l2 2 4-4" />,
  hmac: <path d="M9 4 7 20M17 4l-2 16M4.5 9h15M4 15h15" />,
  token: (
    <>
      <circle cx="8.5" cy="12" r="4" />
      <path d="M12.5 12H20v3.500M17 12v2.5" />
    </>
  ),
  body: <path d="M9 5c-3 0-1 6-4 7 3 1 1 7 4 7M15 5c3 0 1 6 4 7-3 1-1 7-4 7" />,
};

const lettersOf = (name: string): string => {
  const capitals = name.replaceAll(/[^A-Z]/g, '').slice(0, 2);
  return capitals.length === 2 ? capitals : name.slice(0, 2);
};

/** The icon of a provider: a plain shape, or its first letters. */
export function ProviderTile({
  id,
  name,
  size = 'normal',
}: {
  id: ProviderName | SchemeChoice | undefined;
  name: string;
  size?: 'normal' | 'small';
}) {
  const shape = id === undefined ? undefined : SHAPES[id];
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'inline-grid shrink-0 place-items-center border border-line-strong bg-sunken font-bold text-text-2',
        size === 'small' ? 'size-5 rounded-4 text-[9px]' : 'size-8 rounded-6 text-12',
      )}
    >
      {shape === undefined ? (
        lettersOf(name)
      ) : (
        <svg
          viewBox="0 0 24 24"
          className={clsx('fill-none stroke-current', size === 'small' ? 'size-3.5' : 'size-5')}
          strokeWidth={1.75}
          strokeLinecap="round"
          strokeLinejoin="round"
        >
          {shape}
        </svg>
      )}
    </span>
  );
}
