import { commandLinePage } from './command-line.ts';
import { errorsPage } from './errors.ts';
import { logsPage } from './logs.ts';
import { metricsPage } from './metrics.ts';
import { settingsPage } from './settings.ts';

/** The pages that `npm run generate:docs` writes, by their paths from the root. */
export const generatedPages = (): Readonly<Record<string, string>> => ({
  'docs/reference/command-line.md': commandLinePage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/logs.md': logsPage(),
  'docs/reference/metrics.md': metricsPage(),
  'docs/reference/settings.md': settingsPage(),
});
