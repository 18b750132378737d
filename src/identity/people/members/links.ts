import type { Config } from '../../../platform/config/config.ts';
import { dashboardAt } from '../../../kernel/values/http.ts';

type Urls = Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>;

/**
 * A link for a person, to a page of the dashboard. Its code stands in the fragment, which browsers send to nobody: neither a log nor a
 * Referer has it.
 */
export const linkTo = (urls: Urls, page: 'setup' | 'invitation' | 'password-reset', code: string): string =>
  `${dashboardAt(urls)}/${page}#code=${code}`;
