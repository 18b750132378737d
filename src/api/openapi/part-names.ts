import type { JsonSchema } from './components.ts';

/**
 * Names for parts whose own name would say too little or is shared by several schemas, by one of the names derived from their places. A
 * test finds keys that no part has any more.
 */
export const CHOSEN_PARTS: Readonly<Record<string, string>> = {
  AddPasskeyPasskey: 'PasskeyAttestation',
  AddPasskeyPasskeyResponse: 'PasskeyAttestationResponse',
  ApiKeyEnvironment: 'EnvironmentKind',
  ApiKeyScope: 'Scope',
  ApiKeyStatus: 'CredentialStatus',
  ApiKeyTier: 'Tier',
  AppSettingsRetryPolicy: 'RetryPolicy',
  AttemptErrorClass: 'ErrorClass',
  AuditEntryAction: 'AuditAction',
  AuditEntryActor: 'AuditActor',
  AuthorizationServerDpop_signing_alg_values_supportedItem: 'ProofAlgorithm',
  BacklogOpenDeadLetters: 'CappedCount',
  BacklogPending: 'WaitingDeliveries',
  BulkReplayOrPreviewPreview: 'BulkReplayPreview',
  BulkReplayOrPreviewPreviewOldestItem: 'BulkReplayPreviewed',
  BulkRetryOrPreviewPreview: 'BulkRetryPreview',
  BulkRetryOrPreviewPreviewOldestItem: 'BulkRetryPreviewed',
  BulkRetryOutcome: 'ReplayOutcome',
  BulkRetryStatus: 'ReplayStatus',
  CancelRunsStatus: 'UnfinishedRunStatus',
  ConnectorsGetConnectorId: 'ConnectorId',
  CreateApiKeyLimits: 'CredentialLimits',
  CreateAppSettingsRetryPolicy: 'CreateRetryPolicy',
  CreateViewPage: 'ViewedList',
  DryRunDataItem: 'SubscriptionVerdict',
  DryRunDataItemHeldBy: 'VerdictHeldBy',
  DryRunDataItemReason: 'VerdictReason',
  DryRunPagination: 'Pagination',
  ErrorResponseError: 'ErrorBody',
  ErrorResponseErrorCode: 'ErrorCode',
  ErrorResponseErrorDetails: 'ErrorDetails',
  InspectedRowAnswer: 'InspectedAnswer',
  InspectedRowSignature: 'InspectedSignature',
  MemberRole: 'Role',
  MessageReplayOrPreviewPreview: 'MessageReplayPreview',
  MessageReplayOrPreviewPreviewOldestItem: 'MessageReplayPreviewed',
  MessagesListScheduledStatus: 'ScheduledStatus',
  OAuthErrorResponseError: 'OAuthErrorCode',
  PasskeyBodyPasskey: 'PasskeyAssertion',
  PasskeyBodyPasskeyResponse: 'PasskeyAssertionResponse',
  RetryRunFromOption1: 'RetryRunFrom',
  RetryRunFromOption2: 'RetryRunFromStep',
  RunsExportFormat: 'ExportFormat',
  SearchResultsDataItem: 'SearchResult',
  SearchResultsDataItemKind: 'SearchKind',
  SearchResultsDataItemMatched: 'SearchMatch',
  SentSampleReason: 'InboundRefusalReason',
  ServiceDueItem: 'ServiceDue',
  ServiceDueItemState: 'ServiceDueState',
  ServiceReasonsItem: 'ServiceReason',
  ServiceReasonsItemCode: 'ServiceReasonCode',
  ServiceReasonsItemVerdict: 'ServiceReasonVerdict',
  SessionProvenByItem: 'SignInMeans',
  SignInOption2: 'SignInSecondStep',
  SignInOption2SecondStep: 'SecondStep',
  StatsAnswerOption1: 'StatsAnswersOfStatus',
  StatsAnswerOption2: 'StatsAnswersOfErrorClass',
  StatsPointLatencyMs: 'Latency',
  SubscriptionSecretOlderItem: 'OlderSecret',
  UpdateAppSettingsRetryPolicy: 'UpdateRetryPolicy',
};

type Place = 'schemas' | 'roots';
/** An enum, or an object with fields, and the names derived from its places. */
type Part = { schema: JsonSchema; names: Record<Place, Set<string>> };

/** Conditions, which client generators do not turn into types. */
const CONDITIONS = new Set(['if', 'then', 'else', 'not']);

/** Keywords that stay next to a reference, because each place has its own. */
const OF_THE_PLACE = new Set(['description', 'default']);

/**
 * Gives every enum and every object with fields a name of its own among the schemas, and replaces them with references: client
 * generators call a part without a name `Status28`, or give two the same name. A part is named after its place, `ChannelStatus`; one
 * with several places has the shortest of their names, or the one in CHOSEN_PARTS. `roots` are the schemas elsewhere in the document,
 * such as those of parameters, with names for their parts. Returns all named schemas, and a function that puts references into a root.
 * Throws if no name is left for a part.
 */
export function nameParts(
  schemas: Readonly<Record<string, JsonSchema>>,
  roots: readonly { name: string; schema: JsonSchema }[],
): { schemas: Record<string, JsonSchema>; referencing: (root: JsonSchema) => JsonSchema } {
  const parts = new Map<string, Part>();
  const collect = (schema: JsonSchema, name: string, place: Place): void => {
    if (isPart(schema)) {
      const key = keyOf(schema);
      const part = parts.get(key) ?? { schema, names: { schemas: new Set(), roots: new Set() } };
      parts.set(key, part);
      part.names[place].add(name);
    }
    collectIn(schema, name, place);
  };
  const collectIn = (schema: JsonSchema, name: string, place: Place): void => {
    eachPart(schema, name, (part, partName) => {
      collect(part, partName, place);
      return part;
    });
  };
  for (const [name, schema] of Object.entries(schemas)) collectIn(schema, name, 'schemas');
  for (const { schema, name } of roots) collect(schema, name, 'roots');

  const known = new Map(Object.entries(schemas).map(([name, schema]) => [keyOf(schema), name]));
  const taken = new Set(Object.keys(schemas).map((name) => name.toLowerCase()));
  const chosen = new Map<string, string>();
  const give = (key: string, name: string): void => {
    if (taken.has(name.toLowerCase()))
      throw new Error(`Two schemas would be called ${name}: choose a name for one in src/api/openapi/part-names.ts`);
    taken.add(name.toLowerCase());
    chosen.set(key, name);
  };
  const left: [key: string, names: string[]][] = [];
  for (const [key, part] of parts) {
    const names = namesOf(part);
    const shared = names.map((name) => CHOSEN_PARTS[name]).find((name) => name !== undefined);
    const before = known.get(key);
    if (before !== undefined) chosen.set(key, before);
    else if (shared !== undefined) give(key, shared);
    else left.push([key, names]);
  }
  // The shortest first, so that the result does not depend on the order of the routes.
  for (const [key, names] of left.toSorted(([, [one = '']], [, [other = '']]) => compare(one, other)))
    give(key, names.find((name) => !taken.has(name.toLowerCase())) ?? names[0] ?? '');

  const named = (schema: JsonSchema): JsonSchema => eachPart(schema, '', referenceTo);
  const referenceTo = (schema: JsonSchema): JsonSchema => {
    if (!isPart(schema)) return named(schema);
    const reference = { $ref: `#/components/schemas/${chosen.get(keyOf(schema)) ?? ''}` };
    const beside = Object.fromEntries(Object.entries(schema).filter(([keyword]) => OF_THE_PLACE.has(keyword)));
    return isNullable(schema) ? { anyOf: [reference, { type: 'null' }], ...beside } : { ...reference, ...beside };
  };
  return {
    schemas: Object.fromEntries([
      ...Object.entries(schemas).map(([name, schema]) => [name, named(schema)] as const),
      ...[...parts]
        .filter(([key]) => !known.has(key))
        .map(([key, { schema }]) => [chosen.get(key) ?? '', named(bare(schema))] as const),
    ]),
    referencing: referenceTo,
  };
}

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null');

const isPart = (schema: JsonSchema): boolean =>
  (Array.isArray(schema['enum']) && schema.type === 'string') ||
  (schema.properties !== undefined && [schema.type].flat().includes('object'));

/** A part without the keywords of its place. */
function bare(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => !OF_THE_PLACE.has(keyword));
  const own: JsonSchema = Object.fromEntries(entries);
  return isNullable(own) ? { ...own, type: 'object' } : own;
}

const keyOf = (schema: JsonSchema): string => JSON.stringify(bare(schema));

const compare = (one: string, other: string): number => one.length - other.length || (one < other ? -1 : 1);
/** The shortest first, and the names from resources before those from operations. */
const namesOf = ({ names }: Part): string[] => [
  ...[...names.schemas].toSorted(compare),
  ...[...names.roots].toSorted(compare),
];

/** Returns the schema with each nested schema replaced; `replace` gets it with a name derived from its place. */
function eachPart(
  schema: JsonSchema,
  name: string,
  replace: (part: JsonSchema, name: string) => JsonSchema,
): JsonSchema {
  const result: JsonSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (CONDITIONS.has(keyword)) result[keyword] = value;
    else if (keyword === 'properties')
      result.properties = Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([field, part]) => [field, replace(part, name + capital(field))]),
      );
    else if (['items', 'additionalProperties', 'contentSchema'].includes(keyword) && isSchema(value))
      result[keyword] = replace(value, keyword === 'contentSchema' ? name : singular(name));
    else if (['anyOf', 'oneOf', 'allOf'].includes(keyword))
      // `as`: these keywords contain only schemas.
      result[keyword] = (value as JsonSchema[]).map((part, index, all) =>
        replace(part, optionName(name, part, { index, all })),
      );
    else result[keyword] = value;
  }
  return result;
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/**
 * A single option next to null, or next to a list of the same, has the name of the whole; others are named by the word that
 * distinguishes them, or by their number.
 */
function optionName(
  name: string,
  part: JsonSchema,
  { index, all }: { index: number; all: readonly JsonSchema[] },
): string {
  const objects = all.filter((each) => each.type !== 'null' && each.type !== 'array');
  if (objects.length < 2 || !isPart(part)) return name;
  const words = Object.values(part.properties ?? {}).map((field) => field['const']);
  const word = words.find((each) => typeof each === 'string');
  return name + (word === undefined ? `Option${index + 1}` : capital(word));
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Name of one item of a list or a map: `steps` contains a Step. */
function singular(name: string): string {
  if (name.endsWith('ies')) return name.replace(/ies$/, 'y');
  if (/(?:ss|us|x|ch|sh)es$/.test(name)) return name.replace(/es$/, '');
  if (/[^su]s$/.test(name)) return name.replace(/s$/, '');
  return `${name}Item`;
}
