/** Redirect URI of clients at providers, behind PUBLIC_BASE_URL. */
export const CALLBACK = '/oauth/connections/callback';

/** How an authorization has ended, with the words for the person who has come back. */
export const OUTCOMES = {
  connected: ['Connected', 'You may close this window.'],
  denied: ['Not connected', 'The provider says that you have not consented. Nothing was changed.'],
  expired: [
    'Not connected',
    'This authorization has expired, was used before or never began. Nothing was changed: ask for a new link.',
  ],
  refused: [
    'Not connected',
    'The provider has given no token that can be used. Nothing was changed: check the client and its redirect URI, and ask for a new link.',
  ],
  unreachable: [
    'Not connected',
    'The provider cannot be reached just now. Nothing was changed: ask for a new link later.',
  ],
} as const;
export type ConsentOutcome = keyof typeof OUTCOMES;

export const pageOfOutcome = (outcome: ConsentOutcome): string => `/oauth/connections/${outcome}`;
