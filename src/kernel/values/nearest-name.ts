/** Longest name that is compared, in UTF-16 units: the cost is the product of both lengths. */
const MAX_LENGTH = 64;

/**
 * Names that other services use for our fields, in lower case without separators. The first field of a row that exists in the object is
 * suggested. A row is needed only if spelling alone would not find the name.
 */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  active: ['status'],
  after: ['since', 'cursor'],
  attempts: ['maxRetries', 'retryPolicy'],
  backoff: ['backoffMultiplier', 'retryPolicy'],
  before: ['until'],
  body: ['payload'],
  callback: ['webhookUrl'],
  callbackurl: ['webhookUrl'],
  concurrency: ['maxConcurrency', 'concurrent'],
  condition: ['filter'],
  content: ['payload'],
  count: ['limit'],
  data: ['payload'],
  destination: ['webhookUrl'],
  enabled: ['status'],
  end: ['until'],
  endpoint: ['webhookUrl'],
  env: ['environment'],
  event: ['eventType', 'eventTypes'],
  events: ['eventTypes', 'eventType', 'messages'],
  expires: ['expiresAt'],
  expiry: ['expiresAt'],
  expression: ['filter'],
  from: ['since', 'startFrom'],
  label: ['name'],
  maxattempts: ['maxRetries', 'retryPolicy'],
  offset: ['cursor'],
  page: ['cursor'],
  pagesize: ['limit'],
  perpage: ['limit'],
  permissions: ['scopes'],
  plan: ['tier'],
  publishat: ['deliverAt'],
  retention: ['retentionDays'],
  retries: ['maxRetries', 'retryPolicy'],
  retry: ['retryPolicy', 'maxRetries'],
  rpm: ['requestsPerMinute'],
  scheduledat: ['deliverAt'],
  scheduledfor: ['deliverAt'],
  sendat: ['deliverAt'],
  size: ['limit'],
  start: ['since', 'startFrom'],
  state: ['status'],
  target: ['webhookUrl'],
  targeturl: ['webhookUrl'],
  title: ['name'],
  to: ['until'],
  topic: ['eventType', 'eventTypes'],
  topics: ['eventTypes', 'eventType'],
  type: ['eventType', 'eventTypes'],
  types: ['eventTypes', 'eventType'],
  uri: ['webhookUrl'],
  url: ['webhookUrl'],
  webhook: ['webhookUrl'],
};

/**
 * The name in `known` that a caller who wrote `given` most likely meant: the same except for case, separators or singular/plural; a
 * synonym; or the nearest by spelling, with up to one typing error for up to four letters, two for up to eight and three beyond.
 * Undefined if none is that close.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_LENGTH) return undefined;
  const wanted = plain(given);
  if (wanted === '') return undefined;
  const spelled = known.map((name) => ({ name, spelling: plain(name) }));
  const same =
    spelled.find(({ spelling }) => spelling === wanted) ??
    spelled.find(({ spelling }) => singular(spelling) === singular(wanted));
  if (same !== undefined) return same.name;
  const meant = Object.hasOwn(SYNONYMS, wanted) ? SYNONYMS[wanted] : undefined;
  const synonym = meant?.find((name) => known.includes(name));
  if (synonym !== undefined) return synonym;
  const errors = wanted.length === 1 ? 0 : wanted.length <= 4 ? 1 : wanted.length <= 8 ? 2 : 3;
  const [nearest] = spelled
    // The distance is at least the difference of the lengths, and a thousand times as expensive to compute.
    .filter(({ spelling }) => Math.abs(spelling.length - wanted.length) <= errors)
    .map(({ name, spelling }) => ({ name, distance: editDistance(wanted, spelling, errors) }))
    .filter(({ distance }) => distance <= errors)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The singular: `maxretry` and `maxretries` differ by three letters, too many for a word of eight to count as close. */
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

/**
 * Damerau–Levenshtein distance: how many letters must be inserted, removed, replaced or swapped with their neighbour. No letter is
 * changed twice ("optimal string alignment"). A distance above `most` may come out too large, because pairs of letters whose positions
 * differ by more than that are not compared, which makes the cost linear.
 */
export function editDistance(one: string, other: string, most: number = FAR): number {
  // A typed array: filling a list of numbers for each letter took nine tenths of the time.
  let beforeLast = new Int32Array(0);
  let last = Int32Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = new Int32Array(other.length + 1).fill(FAR);
    current[0] = row;
    const end = lesser(other.length, row + most);
    for (let column = row > most ? row - most : 1; column <= end; column += 1) {
      const isEqual = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const changed = lesser(at(last, column), at(current, column - 1)) + 1;
      const replaced = at(last, column - 1) + (isEqual ? 0 : 1);
      const swapped = row > 1 && column > 1 && isSwapped ? at(beforeLast, column - 2) + 1 : FAR;
      current[column] = lesser(changed, lesser(replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, other.length);
}

/** More changes than any two names need. */
const FAR = 1_000_000;
// `as`: the column is one of the row.
const at = (row: Int32Array, column: number): number => row[column] as number;
const lesser = (one: number, other: number): number => (one < other ? one : other);
