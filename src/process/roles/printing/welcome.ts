import { resolve } from 'node:path';
import type { Config } from '../../../platform/config/config.ts';
import { DEFAULT_DATA_FOLDER } from '../../../platform/config/variables.ts';
import type { FirstKeys } from '../../seed.ts';

export type Welcome = {
  config: Config;
  apiUrl: string;
  temporalAddress: string;
  temporalUiUrl?: string | undefined;
  /** Only at the first start. */
  keys?: FirstKeys | undefined;
  /** A link that creates the first administrator, only while there is none. */
  setupLink?: string | undefined;
};

/**
 * The text that `start` prints when everything is up. Its last line is the one link to open next: the setup link while there is no
 * administrator, then the dashboard. A first start leaves out what only an operator asks for.
 */
export function describeService(welcome: Welcome): string[] {
  const { config, apiUrl, temporalAddress, temporalUiUrl, keys, setupLink } = welcome;
  const command = commandFor(config);
  return [
    '',
    'Posthorn is ready',
    `  API          ${apiUrl}`,
    ...(temporalUiUrl === undefined ? [`  Temporal     ${temporalAddress}`] : [`  Temporal UI  ${temporalUiUrl}`]),
    ...(config.databaseUrl === undefined ? [] : [`  PostgreSQL   ${withoutPassword(config.databaseUrl)}`]),
    `  Data folder  ${resolve(config.dataFolder)}`,
    ...(keys === undefined ? describeOperation(config, command) : describeKeys({ keys, apiUrl, command })),
    '',
    ...describeNextStep({ link: setupLink, dashboard: dashboardOf(config, apiUrl) }),
  ];
}

const dashboardOf = ({ dashboardUrl, isDashboardServed }: Config, apiUrl: string): string | undefined =>
  dashboardUrl ?? (isDashboardServed ? `${apiUrl}/dashboard/` : undefined);

function describeNextStep({ link, dashboard }: { link: string | undefined; dashboard: string | undefined }): string[] {
  if (link !== undefined)
    return [
      'Ctrl-C stops Posthorn. Next, create the first administrator: open this link within 60 minutes (it works once).',
      `  ${link}`,
    ];
  return dashboard === undefined
    ? ['Ctrl-C stops Posthorn.']
    : ['Ctrl-C stops Posthorn. The dashboard:', `  ${dashboard}`];
}

const describeOperation = (config: Config, command: string): string[] => [
  `  Processes    ${config.processes} (PROCESSES)`,
  ...(config.allowHttpWebhooks || config.webhookAllowCidrs.length > 0
    ? [`  Webhooks to  ${describeTargets(config)}`]
    : []),
  `  API keys     create one with: ${command} keys create --env test`,
];

/** Our command as another terminal needs it: without the data folder it would ask another service. */
const commandFor = ({ dataFolder }: Config): string =>
  dataFolder === DEFAULT_DATA_FOLDER
    ? 'npx posthorn'
    : `DATA_FOLDER='${dataFolder.replaceAll("'", String.raw`'\''`)}' npx posthorn`;

/** Four commands that create a channel and a subscription, and publish a message. The first two define what the others use. */
function curlLines(apiUrl: string, key: string): string[] {
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  return [
    `api() { curl -sS "${apiUrl}/v1/$1" ${headers} -d "$2"; echo; }`,
    `CHANNEL=$(api channels '{"name":"orders"}' | grep -o 'chn_[a-z0-9]*')`,
    `api subscriptions "{\\"channelId\\":\\"$CHANNEL\\",\\"webhookUrl\\":\\"http://localhost:4000/\\"}"`,
    `api "channels/$CHANNEL/messages" '{"eventType":"order.created","payload":{"number":1}}'`,
  ];
}

function describeKeys({ keys, apiUrl, command }: { keys: FirstKeys; apiUrl: string; command: string }): string[] {
  return [
    '',
    `Your API keys, shown only now (another one: ${command} keys create --env test):`,
    `  live  ${keys.live.key}`,
    `  test  ${keys.test.key}`,
    'Deliver a first message to a receiver at http://localhost:4000/, or put the URL of yours:',
    ...curlLines(apiUrl, keys.test.key).map((line) => `  ${line}`),
  ];
}

function describeTargets({ allowHttpWebhooks, webhookAllowCidrs }: Config): string {
  const also = [...(allowHttpWebhooks ? ['plain http'] : []), ...webhookAllowCidrs];
  return `public https URLs, and also ${also.join(', ')} (ALLOW_HTTP_WEBHOOKS, WEBHOOK_ALLOW_CIDRS)`;
}

function withoutPassword(url: string): string {
  const address = new URL(url);
  address.password = '';
  return address.href;
}
