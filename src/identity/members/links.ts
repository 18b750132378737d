import type { Config } from '../../config.ts';

/**
 * A link for a person, to a page of the dashboard. Its code stands in the fragment, which browsers send to nobody: neither a log nor a
 * Referer has it.
 */
export const linkTo = (
  { publicBaseUrl, dashboardUrl }: Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>,
  page: 'setup' | 'invitation' | 'password-reset',
  code: string,
): string => `${dashboardUrl ?? `${publicBaseUrl}/dashboard`}/${page}#code=${code}`;
