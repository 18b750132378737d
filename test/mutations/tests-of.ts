import { existsSync, readdirSync } from 'node:fs';
import type { Mutation } from './find.ts';

/** A test file by its name, whether `npm test` runs it or `npm run test:all` alone. */
function fileOf(name: string): string {
  const path = `test/${name}.test.ts`;
  return existsSync(path) ? path : path.replace('.test.ts', '.whole.test.ts');
}

const [AUTOMATIONS, FIGURES, STATEMENTS, LISTS, SHARED, ROUTES] = [
  'isolation-automations',
  'isolation-figures',
  'isolation-statements',
  'isolation-lists',
  'isolation-shared',
  'isolation',
].map((name) => fileOf(`contract/${name}`)) as [string, string, string, string, string, string];

/** Ask stores and services themselves, and begin their titles with the file that they are about. */
export const STORES = [AUTOMATIONS, FIGURES, STATEMENTS];

export const MATRIX = [...STORES, LISTS, SHARED, ROUTES];

/** Titles of tests of the matrix that a mutant of a folder is likeliest to fail. */
const TITLES: Readonly<Record<string, string>> = {
  'src/automations/approvals': '/v1/(approvals|runs)',
  'src/automations/connections': '/v1/connections',
  'src/automations/connectors': '/v1/connectors',
  'src/automations/definitions': '/v1/workflows',
  'src/inbound': '/v1/webhooks',
  'src/automations/runs': '/v1/(runs|workflows)',
  'src/automations/schedules': '/v1/workflows',
  'src/automations/secrets': '/v1/secrets',
  'src/messaging/channels': '/v1/channels',
  'src/delivery/dead-letters': '/v1/dlq|dead letters',
  'src/delivery/record': '/v1/(deliveries|dlq)|dead letters',
  'src/messaging/messages': '/v1/(messages|channels)',
  'src/messaging/publishing': '/v1/(channels|messages|subscriptions)|remembers',
  'src/delivery/replays': '/v1/(deliveries|dlq|replays|subscriptions)|dead letters',
  'src/insight/changes': '/v1/changes|a stream',
  'src/insight/installation': '/v1/service',
  'src/insight/marks': '/v1/markers',
  'src/insight/search': '/v1/search',
  'src/insight/stats': '/v1/stats',
  'src/messaging/scheduling': '/v1/(channels|messages)',
  'src/messaging/streams': '/stream|a stream',
  'src/messaging/subscriptions': '/v1/(subscriptions|channels)',
  'src/identity/credentials/api-keys': '/v1/api-keys',
  'src/identity/tenancy/apps': '/v1/apps|suspended',
  'src/identity/tenancy/audit': '/v1/audit',
  'src/identity/credentials/machine-credentials': '/v1/machine-credentials',
  'src/identity/people/members': '/v1/organisations',
  'src/identity/tenancy/organisations': '/v1/organisations',
  'src/identity/people/passkeys': '/v1/user/passkeys',
  'src/insight/views': '/v1/views',
  'src/identity/people/sessions': '/v1/sessions|remembers',
};

/** Tests of the resource that a condition belongs to, where they are not all that the folder of the same name has. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'src/automations/approvals': ['automations/waits'],
  'src/automations/connections': ['automations/connectors', 'automations/connections-oauth'],
  'src/automations/connectors': ['automations/connectors'],
  'src/automations/definitions': ['automations/workflows', 'automations/triggers'],
  'src/automations/engine': ['automations/waits', 'automations/child-runs'],
  'src/automations/gates': ['automations/triggers'],
  'src/inbound': ['automations/inbound-webhooks'],
  'src/automations/runs': ['automations/runs'],
  'src/automations/schedules': ['automations/schedules'],
  'src/automations/triggers': ['automations/workflows'],
  'src/automations/waking': ['automations/run-limits', 'automations/waits'],
  'src/automations/secrets': ['automations/requests'],
  'src/platform/db': ['automations/connectors'],
  'src/delivery/record/statements/run-again': ['automations/runs', 'replays/dead-letters'],
  'src/delivery/dead-letters': ['replays/dead-letters'],
  'src/delivery/queue': ['dispatch/reconciler'],
  'src/identity/people/accounts': ['identity/single-sign-on', 'identity/lost-meanwhile', 'identity/sessions'],
  'src/identity/credentials/api-keys': ['identity/api-keys'],
  'src/identity/tenancy/apps': ['identity/apps', 'identity/machine-credentials'],
  'src/identity/tenancy/audit': ['identity/audit'],
  'src/identity/people/factors': ['identity/lost-meanwhile', 'identity/second-factors'],
  'src/identity/credentials/grants': ['identity/api-keys', 'identity/machine-credentials'],
  'src/identity/credentials/machine-credentials': ['identity/machine-credentials', 'identity/token-records'],
  'src/identity/people/members': ['identity/lost-meanwhile', 'identity/members', 'identity/single-sign-on'],
  'src/identity/tenancy/organisations': ['identity/apps'],
  'src/insight/views': ['identity/setup'],
  'src/identity/people/passkeys': ['identity/passkeys'],
  'src/identity/people/sessions': ['identity/lost-meanwhile', 'identity/sessions', 'identity/members'],
  'src/identity/people/sign-in': ['identity/sessions', 'identity/second-factors'],
  'src/identity/people/single-sign-on': ['identity/single-sign-on'],
  'src/messaging/messages': ['messages/erasure', 'publishing/messages'],
  'src/messaging/publishing': ['publishing/publisher-ids', 'publishing/dry-run'],
  'src/messaging/streams': ['streams/stream'],
};

const ofFolder = <Value>(table: Readonly<Record<string, Value>>, path: string): Value | undefined =>
  Object.entries(table).find(([folder]) => path.startsWith(`${folder}/`) || path === `${folder}.ts`)?.[1];

const ASKED = [
  /^src\/automations\/.*(store|service|cover)\.ts$/,
  /^src\/changes\/store\.ts$/,
  /^src\/db\/shared-connections\.ts$/,
  /^src\/db\/lists\/name-look\.ts$/,
  /^src\/deliveries\/(retryable|unindexed)-store\.ts$/,
  /^src\/deliveries\/statements\/(dead-letters|due-again|run-again)\.ts$/,
  /^src\/deliveries\/store\.ts$/,
  /^src\/identity\/machine-credentials\/store\.ts$/,
  /^src\/identity\/views\/store\.ts$/,
  /^src\/inspectors\/(service|store)\.ts$/,
  /^src\/installation\/service\.ts$/,
  /^src\/marks\/(service|store)\.ts$/,
  /^src\/messages\/(look-through|service|store|summaries-store)\.ts$/,
  /^src\/publishing\/(store|configs\/config-store)\.ts$/,
  /^src\/retention\/run-store\.ts$/,
  /^src\/search\/store\.ts$/,
  /^src\/stats\/((backlog|deliveries)-)?store\.ts$/,
];

/** Whether tests of STORES are about the file of a condition. */
export const isOfStore = ({ path }: Mutation): boolean => ASKED.some((pattern) => pattern.test(path));

export const titleOf = (path: string): string | undefined => ofFolder(TITLES, path);

function ownTests(path: string): string[] {
  const listed = ofFolder(OWN, path);
  if (listed !== undefined) return listed.map(fileOf);
  const folder = path.replace('src/', 'test/').split('/').slice(0, 2).join('/');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

/** The file of the matrix in which a mutant of this kind dies, as a rule. */
function likeliest({ id, kind }: Mutation, isLock: boolean): string {
  if (isLock || kind === 'key' || /known|config/i.test(id)) return SHARED;
  return kind === 'cursor' ||
    kind === 'walk' ||
    (/: where/.test(id) && /\b(find\w+s|list\w*|visibleTo|select)\b/.test(id))
    ? LISTS
    : ROUTES;
}

/** Test files that are run together; `title` narrows their tests by a regular expression. */
export type Step = { files: readonly string[]; title?: string };

/** Tests that a mutant must fail, from the quickest and likeliest to the whole matrix. */
export function stepsOf(mutation: Mutation): Step[] {
  // A statement that only locks changes no answer, and makes others wait.
  const isLock = /\block\w+: sql /.test(mutation.id) && !mutation.path.startsWith('src/automations/');
  const title = isLock ? 'keep no neighbour waiting' : titleOf(mutation.path);
  const own = ownTests(mutation.path);
  return [
    ...(mutation.path.startsWith('src/messaging/publishing/') ? [{ files: [SHARED] }] : []),
    ...(isOfStore(mutation) ? [{ files: STORES }] : []),
    ...(title === undefined ? [] : [{ files: [likeliest(mutation, isLock)], title }]),
    ...(own.length === 0 ? [] : [{ files: own }]),
    { files: MATRIX },
  ];
}
