import { SETTINGS } from '../../src/platform/config/config.ts';
import { SETTING_DESCRIPTIONS, SETTING_TOPICS } from '../../src/platform/config/descriptions.ts';
import { SECRETS } from '../../src/platform/config/reading.ts';
import { variables } from '../../src/platform/config/variables.ts';
import { code, page, table } from './markdown.ts';

const INTRO = `
# Settings

Posthorn is configured by environment variables. You can also write them into a file \`.env\` in the working directory; a variable of the environment takes precedence. An empty value counts as not set. Settings are read once, when a command starts.

A production deployment needs three settings, the same for every process:

\`\`\`text
DATABASE_URL=postgresql://posthorn:secret@db.internal:5432/posthorn
TEMPORAL_ADDRESS=temporal.internal:7233
ENCRYPTION_KEYS_FILE=/run/secrets/encryption_keys
\`\`\`

An invalid value or a misspelt name ends the command with one sentence:

\`\`\`text
posthorn: LOG_LEVLE is not a setting. Did you mean LOG_LEVEL? Correct or remove it
\`\`\`

A variable that starts like a setting (\`POSTHORN_\`, \`TEMPORAL_\`, …) but is not close to any is listed in one warning of the log. Variables that Kubernetes sets for services, such as \`REDIS_PORT\`, are ignored.
`;

const SECRETS_INTRO = `
## Secrets from files

These settings are secrets. Instead of the value you can give the path of a file, such as a mounted secret, in \`<NAME>_FILE\`. Setting both is an error. A line break at the end of the file is ignored.
`;

const OPENTELEMETRY = `
The \`OTEL_\` names and their meanings are those of OpenTelemetry, and the exporter also reads its other variables, such as \`OTEL_EXPORTER_OTLP_TIMEOUT\` and \`OTEL_EXPORTER_OTLP_CERTIFICATE\`. \`OTEL_EXPORTER_OTLP_HEADERS_FILE\` is an addition of Posthorn.
`;

export function settingsPage(): string {
  const defaults: Readonly<Record<string, unknown>> = variables.parse({});
  const defaultOf = (name: string, unset: string | undefined): string => {
    const value = defaults[name];
    if (unset !== undefined) return unset;
    return value === undefined || value === ''
      ? 'none'
      : code(typeof value === 'string' ? value : JSON.stringify(value));
  };
  const described = Object.entries(SETTING_DESCRIPTIONS);
  const shown = [...described.map(([name]) => name), ...SECRETS.map((name) => `${name}_FILE`)];
  const missing = SETTINGS.filter((name) => !shown.includes(name));
  if (missing.length > 0)
    throw new Error(`src/platform/config/descriptions.ts does not describe ${missing.join(', ')}`);
  return page(
    'src/platform/config/descriptions.ts',
    INTRO,
    ...SETTING_TOPICS.flatMap((topic) => [
      `## ${topic}`,
      table(
        ['Setting', 'Default', 'Meaning'],
        described
          .filter(([, description]) => description.topic === topic)
          .map(([name, { text, unset }]) => [code(name), defaultOf(name, unset), text]),
      ),
    ]),
    OPENTELEMETRY,
    SECRETS_INTRO,
    table(
      ['Setting', 'File'],
      SECRETS.map((name) => [code(name), code(`${name}_FILE`)]),
    ),
  );
}
