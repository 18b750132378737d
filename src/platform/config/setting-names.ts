import { editDistance } from '../../kernel/values/nearest-name.ts';

/** Where a name comes from: a file written for this service, or the environment, which contains variables of all programs. */
export type NameSource = 'own file' | 'environment';

// Number of letters that may differ. Too many other words are within one letter of a name with four.
const LETTERS = { long: 2, short: 1 } as const;
const SHORT_NAME = 7;

/** Names within two letters of ours that other programs are known to use, so in the environment they are meant for those. */
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

/** Kubernetes and Docker use such names for the services of a namespace; only for a bare `_PORT` the value decides. */
const OF_A_SERVICE = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const PORT_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//;

const isOfService = (name: string, value: string): boolean =>
  OF_A_SERVICE.test(name) || (name.endsWith('_PORT') && PORT_OF_A_SERVICE.test(value));

/** A name with this prefix is meant for this service or a related one. */
const OUR_BEGINNINGS = /^(POSTHORN|TEMPORAL|WEBHOOK|WEBHOOKS|DELIVERY|ENCRYPTION|TRUSTED_PROXY)_/;
/** Used by the demo and the tests. */
const OUR_OTHERS = /^POSTHORN_(URL|KEY|TEST_\w+)$/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the first name that is within one or two letters of a setting, with that setting; undefined if there is none. If the setting
 * is also set under its own name, it was not misspelt, and the other name belongs to another program.
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

/** Names that look like settings of this service but are not, except those of other services. */
export const unknownSettings = (variables: Variables, known: readonly string[]): string[] =>
  foreign(variables, known)
    .filter(([name, value]) => !isOfService(name, value) && !OUR_OTHERS.test(name))
    .map(([name]) => name)
    .filter((name) => OUR_BEGINNINGS.test(name) || OTHERS.has(name));

/** Variables that are set and look like settings, but are not ours. */
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
