import type { Config } from '../../../config.ts';
import { DEFAULT_DATA_FOLDER } from '../../../settings/variables.ts';
import type { FirstKeys } from '../../seed.ts';

type Setup = { link?: string };

export type Welcome = {
  config: Config;
  apiUrl: string;
  temporalAddress: string;
  temporalUiUrl?: string | undefined;
  /** Only at the first start. */
  keys?: FirstKeys | undefined;
  /** Only while there is no administrator. Without a link an earlier one is still good. */
  setup?: Setup | undefined;
};

/** The text that `start` prints when everything is up. */
export function describeService({ config, apiUrl, temporalAddress, temporalUiUrl, keys, setup }: Welcome): string[] {
  const command = commandFor(config);
  return [
    '',
    'Posthorn is ready',
    ...(config.isDashboardServed || config.dashboardUrl !== undefined
      ? [`  Dashboard    ${config.dashboardUrl ?? `${apiUrl}/dashboard/`}`]
      : []),
    `  API          ${apiUrl}`,
    ...(temporalUiUrl === undefined ? [`  Temporal     ${temporalAddress}`] : [`  Temporal UI  ${temporalUiUrl}`]),
    ...(config.databaseUrl === undefined ? [] : [`  PostgreSQL   ${withoutPassword(config.databaseUrl)}`]),
    `  Processes    ${config.processes} (PROCESSES)`,
    ...(config.allowHttpWebhooks || config.webhookAllowCidrs.length > 0
      ? [`  Targets      ${describeTargets(config)}`]
      : []),
    '',
    ...(keys === undefined ? [`A further API key: ${command} keys create --env test`] : describeKeys(keys, apiUrl)),
    ...(setup === undefined ? [] : describeSetup(setup, command)),
    'Ctrl-C stops it',
  ];
}

/** Our command as another terminal has to give it: without the folder it would ask a service that is not this one. */
const commandFor = ({ dataFolder }: Config): string =>
  dataFolder === DEFAULT_DATA_FOLDER
    ? 'npx posthorn'
    : `DATA_FOLDER='${dataFolder.replaceAll("'", String.raw`'\''`)}' npx posthorn`;

/** Three commands that make a channel, a subscription and a message. Each takes the id it needs from the one before. */
function curlLines(apiUrl: string, key: string): string[] {
  const post = (path: string, body: string): string =>
    `curl -s ${apiUrl}${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d ${body}`;
  const idOf = `| sed 's/.*"id":"\\(chn_[a-z0-9]*\\)".*/\\1/'`;
  return [
    `CHANNEL=$(${post('/v1/channels', `'{"name":"orders"}'`)} ${idOf}); echo $CHANNEL`,
    post('/v1/subscriptions', `"{\\"channelId\\":\\"$CHANNEL\\",\\"webhookUrl\\":\\"http://localhost:4000/\\"}"`),
    post('/v1/channels/$CHANNEL/messages', `'{"eventType":"order.created","payload":{"number":1}}'`),
  ];
}

function describeKeys(keys: FirstKeys, apiUrl: string): string[] {
  return [
    'Your API keys, shown only now:',
    `  live  ${keys.live.key}`,
    `  test  ${keys.test.key}`,
    '',
    'A channel, a subscription (put your own URL) and a message:',
    ...curlLines(apiUrl, keys.test.key).map((line) => `  ${line}`),
    '',
  ];
}

const describeSetup = ({ link }: Setup, command: string): string[] => [
  ...(link === undefined
    ? ['There is no administrator yet. The newest link that was printed within the last hour is still good']
    : [
        'The first administrator is made with the code of this link, once and within 60 minutes (docs/api.md, People):',
        `  ${link}`,
      ]),
  `A new link: ${command} admin setup-link`,
  '',
];

function describeTargets({ allowHttpWebhooks, webhookAllowCidrs }: Config): string {
  const also = [...(allowHttpWebhooks ? ['plain http'] : []), ...webhookAllowCidrs];
  return `beside public https also ${also.join(', ')} (ALLOW_HTTP_WEBHOOKS, WEBHOOK_ALLOW_CIDRS)`;
}

function withoutPassword(url: string): string {
  const address = new URL(url);
  address.password = '';
  return address.href;
}
