import { editDistance } from '../../kernel/values/nearest-name.ts';

/** Origin of a name: a file that is written for this service, or the environment, which holds everybody's. */
export type NameSource = 'own file' | 'environment';

// Number of letters that may differ. A name of four letters is one letter away from too many other words.
const LETTERS = { long: 2, short: 1 } as const;
const SHORT_NAME = 7;

/** Names within two letters of ours that other programs are known to read: in the environment they are meant for those. */
const OTHERS: ReadonlySet<string> = new Set([
  'DATABASE_SSL',
  'DATABASE_URI',
  'DATABASE_URLS',
  'ENCRYPTION_KEY',
  'LOGLEVEL',
  'LOG_LEVELS',
  'REDIS_SSL',
  'REDIS_URI',
  'REDIS_URLS',
]);

/** Kubernetes and Docker describe each service of a namespace by such names; only the bare `_PORT` needs a look at its value. */
const OF_A_SERVICE = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const PORT_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//;

const isOfService = (name: string, value: string): boolean =>
  OF_A_SERVICE.test(name) || (name.endsWith('_PORT') && PORT_OF_A_SERVICE.test(value));

/** A name that begins so is meant for this service, or for one of the same family. */
const OUR_BEGINNINGS = /^(POSTHORN|TEMPORAL|WEBHOOK|WEBHOOKS|DELIVERY|ENCRYPTION|TRUSTED_PROXY)_/;
/** Read by the demo and by the tests. */
const OUR_OTHERS = /^POSTHORN_(URL|KEY|TEST_\w+)$/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The first name that is one or two letters from a setting, with that setting; undefined when there is none. A setting that is given
 * under its own name too was not misspelt: the other name is somebody else's.
 */
export function misspeltSetting(
  variables: Variables,
  known: readonly string[],
  source: NameSource,
): { name: string; meant: string } | undefined {
  for (const [name, value] of foreign(variables, known)) {
    if (source === 'environment' && (OTHERS.has(name) || isOfService(name, value))) continue;
    const meant = known.find((setting) => isNear(name, setting, source) && (variables[setting] ?? '') === '');
    if (meant !== undefined) return { name, meant };
  }
  return undefined;
}

/** Names that look like settings of this service and are none, those of other services left out. */
export const unknownSettings = (variables: Variables, known: readonly string[]): string[] =>
  foreign(variables, known)
    .filter(([name, value]) => !isOfService(name, value) && !OUR_OTHERS.test(name))
    .map(([name]) => name)
    .filter((name) => OUR_BEGINNINGS.test(name) || OTHERS.has(name));

/** Set, written as settings are, and none of ours. */
function foreign(variables: Variables, known: readonly string[]): [name: string, value: string][] {
  return Object.entries(variables).flatMap(([name, value = '']): [string, string][] =>
    value !== '' && /^[A-Z][A-Z0-9_]*$/.test(name) && !known.includes(name) ? [[name, value]] : [],
  );
}

function isNear(name: string, setting: string, source: NameSource): boolean {
  const isShort = setting.length <= SHORT_NAME;
  if (isShort && source === 'environment') return false;
  const letters = isShort ? LETTERS.short : LETTERS.long;
  return Math.abs(name.length - setting.length) <= letters && editDistance(name, setting) <= letters;
}
