import { COMMON_LOG_FIELDS, LOG_FIELDS } from '../../src/platform/log-fields.ts';
import { code, page, table } from './markdown.ts';

const INTRO = `
# Logs

Every process writes one JSON object per line to standard output. Secrets are redacted. \`LOG_LEVEL\` sets the lowest level that is written. Look at every line at \`error\`; a line at \`warn\` usually describes something that the service handles itself.

## Recipes

Lines that need attention, without fields that you rarely read:

\`\`\`bash
jq -c 'select(.level == "error" or .level == "fatal") | del(.pid, .host, .version)' posthorn.log
\`\`\`

Everything about one delivery, in order:

\`\`\`bash
jq -c 'select(.deliveryId == "dlv_01m8b3efdwe008vqmx1r3n8fhg")' posthorn.log
\`\`\`

How often each warning occurred:

\`\`\`bash
jq -r 'select(.level == "warn") | .msg' posthorn.log | sort | uniq -c | sort -rn
\`\`\`

## Common fields
`;

const OUTAGES = `
## How an outage is logged

A server that cannot be reached produces one line when the outage starts, one per minute while it lasts, and one when it ends:

\`\`\`text
{"level":"warn","role":"worker","server":"PostgreSQL","msg":"PostgreSQL is unavailable: DATABASE_URL: db:5432 is not running: nothing listens there; start PostgreSQL, or correct host and port; nothing is claimed, and results wait to be recorded"}
{"level":"warn","role":"worker","server":"PostgreSQL","outageMs":60412,"suppressedLines":297,"msg":"PostgreSQL has been unavailable for 1 min; nothing is claimed, and results wait to be recorded"}
{"level":"warn","role":"worker","server":"PostgreSQL","outageMs":70230,"suppressedLines":352,"msg":"PostgreSQL is available again after 1 min 10 s; this process uses it again"}
\`\`\`

Each process reports for itself. It notices an outage with the first failed call, or within 5 s if it makes no calls, and reports the end after two successful responses 2 s apart. While a server is down, lines that only complain about it are written at \`debug\`; \`suppressedLines\` counts them. PostgreSQL is watched by every process, Temporal by workers, Redis and the collector where the settings name them.

A process that waits for a server when it starts logs what it waits for, repeats that every minute, and logs when it is ready.
`;

export function logsPage(): string {
  const rows = (fields: Readonly<Record<string, string>>): string[][] =>
    Object.entries(fields).map(([name, text]) => [code(name), text]);
  return page(
    'src/platform/log-fields.ts',
    INTRO,
    table(['Field', 'Meaning'], rows(COMMON_LOG_FIELDS)),
    '## Other fields\n\nA name has the same meaning in every line, except in those of the Temporal SDK (`part` is `temporal`), which have fields of their own.',
    table(['Field', 'Meaning'], rows(LOG_FIELDS)),
    OUTAGES,
  );
}
