import type { Dependencies } from '../../platform/dependencies.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH } from '../../kernel/words/event-types.ts';
import { isId } from '../../kernel/values/ids.ts';
import type { PayloadCondition } from '../../messaging/messages/look-through.ts';
import type { MessageSummary } from '../../messaging/messages/schema.ts';
import { NAMED_KINDS, SCOPE_OF_KIND, SEARCH_KINDS, type SearchKind } from '../../kernel/words/search-kinds.ts';
import { payloadConditionOf, payloadValueOf } from './payload-condition.ts';
import type { Hit, SearchQuery, SearchResults } from './schema.ts';
import { findNamed } from './store.ts';
import type { Approvals } from '../../automations/approvals/service.ts';
import type { Connections } from '../../automations/connections/service.ts';
import type { Workflows } from '../../automations/definitions/service.ts';
import type { InboundWebhooks } from '../../inbound/service.ts';
import type { Runs } from '../../automations/runs/service.ts';
import type { Channels } from '../../messaging/channels/service.ts';
import type { DeadLetters } from '../../delivery/dead-letters/service.ts';
import type { Deliveries } from '../../delivery/record/service.ts';
import type { Messages } from '../../messaging/messages/service.ts';
import type { Replays } from '../../delivery/replays/service.ts';
import type { Subscriptions } from '../../messaging/subscriptions/service.ts';

/** The services used for the search, each with its own rules. */
type Searched = {
  messages: Messages;
  deliveries: Deliveries;
  deadLetters: DeadLetters;
  replays: Replays;
  subscriptions: Subscriptions;
  channels: Channels;
  workflows: Workflows;
  runs: Runs;
  approvals: Approvals;
  connections: Connections;
  inboundWebhooks: InboundWebhooks;
};

type Line = Omit<Hit, 'kind' | 'id' | 'matched'>;
/** Throws NOT_FOUND, like the endpoint of the resource. */
type Finder = (caller: EnvironmentCaller, id: string) => Promise<Line>;

export type Searching = ReturnType<typeof createSearching>;

type Part = Pick<SearchResults, 'data' | 'pagination'> & {
  lookedThrough: Omit<SearchResults['lookedThrough'], 'milliseconds'>;
};

const NOTHING = { messages: 0, bytes: 0, isComplete: true } as const;
const WHOLE = { pagination: { hasMore: false }, lookedThrough: NOTHING } as const;

/** Searches the resources of an environment. Returns only what the caller's scopes may read. */
export function createSearching({ tenants }: Pick<Dependencies, 'tenants'>, searched: Searched) {
  const { messages } = searched;
  const finders = hitFinders(searched);

  const byId = async (caller: EnvironmentCaller, kind: SearchKind, id: string): Promise<Hit[]> => {
    if (!mayRead(caller, kind)) return [];
    try {
      return [{ kind, id, matched: 'id', ...(await finders[kind](caller, id)) }];
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return [];
      throw error;
    }
  };

  const byName = async (caller: EnvironmentCaller, text: string): Promise<Hit[]> => {
    const kinds = NAMED_KINDS.filter((kind) => mayRead(caller, kind));
    const named = await tenants.list(caller, (transaction) =>
      findNamed(transaction, caller.environmentId, { text, kinds }),
    );
    return named.map(({ kind, id, name, status, createdAt }) => ({
      kind,
      id,
      summary: name,
      status,
      at: createdAt,
      matched: 'name',
    }));
  };

  const byPublisherId = async (caller: EnvironmentCaller, publisherId: string, query: SearchQuery): Promise<Hit[]> => {
    const { q: _, cursor: __, payloads: ___, ...filter } = query;
    const { data } = await messages.search(caller, { ...filter, publisherId });
    return data.map((message) => hitOf(message, 'publisherId'));
  };

  /** Returns messages, of the event type `q` if it is one. */
  const byEventType = async (caller: EnvironmentCaller, query: SearchQuery): Promise<Part> => {
    const { q, payloads: _, ...filter } = query;
    const isType = q !== undefined && q.length <= MAX_EVENT_TYPE_LENGTH && eventTypePatternProblem(q) === undefined;
    // A filter by another event type excludes all of them.
    if (q !== undefined && (!isType || (filter.eventType !== undefined && filter.eventType !== q)))
      return { data: [], ...WHOLE };
    const { data, pagination } = await messages.search(caller, { ...filter, ...(q !== undefined && { eventType: q }) });
    const [newestAt, oldestAt] = [data[0]?.publishedAt, data.at(-1)?.publishedAt];
    return {
      data: data.map((message) => hitOf(message, q === undefined ? 'everything' : 'eventType')),
      pagination,
      lookedThrough: {
        messages: data.length,
        bytes: 0,
        ...(newestAt && { newestAt }),
        ...(oldestAt && { oldestAt }),
        isComplete: !pagination.hasMore,
      },
    };
  };

  /**
   * Returns messages whose payloads match, within the limits of one request. Messages with the event type `except` were
   * on earlier pages.
   */
  const byPayload = async (
    caller: EnvironmentCaller,
    query: SearchQuery,
    { condition, except }: { condition: PayloadCondition; except?: string },
  ): Promise<Part> => {
    const { messages: fitting, lookedThrough, cursor } = await messages.lookThrough(caller, query, condition);
    const { deliveryStatus } = query;
    const found = fitting.filter(
      (message) => message.eventType !== except && (deliveryStatus?.includes(message.deliveryStatus) ?? true),
    );
    return {
      data: found.map((message) => hitOf(message, 'payload')),
      lookedThrough,
      pagination: cursor === undefined ? { hasMore: false } : { cursor, hasMore: true },
    };
  };

  /** Returns resources that match `q` by id or name, on the first page only. */
  const byItself = async (caller: EnvironmentCaller, q: string, query: SearchQuery): Promise<Hit[]> => {
    if (query.cursor !== undefined) return [];
    const kind = SEARCH_KINDS.find((each) => isId(each, q));
    const isOfMessages = query.channelId !== undefined || query.eventType !== undefined;
    const ids = isOfMessages || kind === undefined ? [] : await byId(caller, kind, q);
    const names = isOfMessages || kind !== undefined ? [] : await byName(caller, q);
    return [...ids, ...names, ...(await byPublisherId(caller, q, query))];
  };

  /**
   * Returns matches by id, name and event type first, page by page. The last of these pages and all following ones
   * search payloads.
   */
  const byText = async (caller: EnvironmentCaller, q: string, query: SearchQuery): Promise<Part> => {
    const condition = valueOf(q, query);
    if (condition !== undefined && messages.goesOnLooking(caller, query, condition))
      return byPayload(caller, query, { condition, except: q });
    const named = await byItself(caller, q, query);
    const typed = await byEventType(caller, query);
    const known = new Set(named.map(({ id }) => id));
    const data = [...named, ...typed.data.filter(({ id }) => !known.has(id))];
    if (condition === undefined || typed.pagination.hasMore) return { ...typed, data };
    const { cursor: _, ...afresh } = query;
    const limit = Math.max(1, query.limit - typed.data.length);
    const looked = await byPayload(caller, { ...afresh, limit }, { condition, except: q });
    return { ...looked, data: [...data, ...looked.data.filter(({ id }) => !known.has(id))] };
  };

  const find = async (caller: EnvironmentCaller, query: SearchQuery): Promise<Part> => {
    const { q } = query;
    if (q === undefined) return byEventType(caller, query);
    const condition = payloadConditionOf(q);
    return condition === undefined ? byText(caller, q, query) : byPayload(caller, query, { condition });
  };

  return {
    /** Throws INVALID_REQUEST (field q) if a condition on payloads is not valid. */
    async find(caller: EnvironmentCaller, query: SearchQuery): Promise<SearchResults> {
      const startedAt = performance.now();
      const { data, lookedThrough, pagination } = await find(caller, query);
      const milliseconds = Math.ceil(performance.now() - startedAt);
      return { data, lookedThrough: { ...lookedThrough, milliseconds }, pagination };
    },
  };
}

/**
 * Returns the condition for a bare value; undefined if payloads are not to be searched. An id or the beginning of an
 * event type is not a value: searching for an id from another environment would read thousands of payloads.
 */
function valueOf(q: string, { payloads }: SearchQuery): PayloadCondition | undefined {
  const isName = q.endsWith('.*') || SEARCH_KINDS.some((kind) => isId(kind, q));
  return payloads === 'false' || isName ? undefined : payloadValueOf(q);
}

const mayRead = ({ scopes }: EnvironmentCaller, kind: SearchKind): boolean => scopes.has(SCOPE_OF_KIND[kind]);

const hitOf = (message: MessageSummary, matched: Hit['matched']): Hit => ({
  kind: 'message',
  id: message.id,
  summary: `${message.eventType}, delivered ${message.deliveries.delivered} of ${message.deliveries.total}`,
  status: message.deliveryStatus,
  at: message.publishedAt,
  matched,
});

/**
 * Finds a resource of each kind by id, summarised in one line. Uses the service of the resource, so that its access
 * rules apply.
 */
const hitFinders = (searched: Searched): Readonly<Record<SearchKind, Finder>> => ({
  async message(caller, id) {
    const { eventType, channelId, deliveryStatus, publishedAt } = await searched.messages.get(caller, id);
    return { summary: `${eventType} on ${channelId}`, status: deliveryStatus, at: publishedAt };
  },
  async delivery(caller, id) {
    const { messageId, subscriptionId, status, createdAt } = await searched.deliveries.get(caller, id);
    return { summary: `${messageId} to ${subscriptionId}`, status, at: createdAt };
  },
  async attempt(caller, id) {
    const { deliveryId, number, outcome, startedAt } = await searched.deliveries.getAttempt(caller, id);
    return { summary: `Attempt ${number} of ${deliveryId}`, status: outcome, at: startedAt, deliveryId };
  },
  async deadLetter(caller, id) {
    const letter = await searched.deadLetters.get(caller, id);
    const what = letter.deliveryId ?? letter.runId ?? '';
    return { summary: `${what}: ${letter.reason}`, status: letter.status, at: letter.failedAt };
  },
  async bulkReplay(caller, id) {
    const { matched, replayed, status, createdAt } = await searched.replays.deadLetters.get(caller, id);
    return { summary: `${replayed} of ${matched} dead letters`, status, at: createdAt };
  },
  async bulkRetry(caller, id) {
    const { matched, retried, status, createdAt } = await searched.replays.deliveries.get(caller, id);
    return { summary: `${retried} of ${matched} deliveries`, status, at: createdAt };
  },
  async messageReplay(caller, id) {
    const { replayed, subscriptionId, status, createdAt } = await searched.replays.messages.get(caller, id);
    return { summary: `${replayed} messages to ${subscriptionId}`, status, at: createdAt };
  },
  async subscription(caller, id) {
    const { name, status, createdAt } = await searched.subscriptions.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async channel(caller, id) {
    const { name, status, createdAt } = await searched.channels.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async workflow(caller, id) {
    const { name, status, createdAt } = await searched.workflows.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async run(caller, id) {
    const { workflowId, status, createdAt } = await searched.runs.get(caller, id);
    return { summary: `Run of ${workflowId}`, status, at: createdAt };
  },
  async approval(caller, id) {
    const { title, status, createdAt } = await searched.approvals.get(caller, id);
    return { summary: title, status, at: createdAt };
  },
  async connection(caller, id) {
    const { name, status, createdAt } = await searched.connections.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async webhook(caller, id) {
    const { name, status, createdAt } = await searched.inboundWebhooks.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
});
