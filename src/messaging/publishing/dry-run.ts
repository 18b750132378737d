import type { Dependencies } from '../../platform/dependencies.ts';
import type { Filters, FilterVerdict } from '../filters/filters.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { toCircuit } from '../../kernel/rules/circuit.ts';
import { listedEventTypes, wantsEventType } from '../../kernel/words/event-types.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { Message } from '../messages/schema.ts';
import type { CheckPublications } from './check.ts';
import * as store from './dry-run-store.ts';
import { payloadText } from './prepare.ts';
import {
  type DryRun,
  type DryRunRequest,
  type DryRunRoute,
  type FilterTest,
  type FilterTestRequest,
  type MessageRouting,
  MOST_VERDICTS,
} from './schema.ts';

type Sample = { eventType: string; payload: string; metadata: Record<string, string> | undefined };
type Collaborators = {
  problemsIn: CheckPublications['problemsIn'];
  filters: Pick<Filters, 'evaluate' | 'measure'>;
};
type DryRunCall = {
  body: DryRunRequest;
  bodyText: string;
  query: { cursor?: string | undefined; limit: number };
};

/** Evaluates for a message what publishing it would evaluate, and stores nothing. */
export function createDryRun(
  { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
  { problemsIn, filters }: Collaborators,
): (caller: EnvironmentCaller, channelId: string, call: DryRunCall) => Promise<DryRun> {
  const storedSample = async (caller: EnvironmentCaller, channelId: string, messageId: string): Promise<Sample> => {
    // By testing filters one after the other, the caller could find out everything in the message.
    if (!caller.scopes.has('messages:read'))
      throw new ApiError(
        'FORBIDDEN',
        'This credential does not have the scope messages:read, which messageId requires',
      );
    const message = isId('message', messageId) ? await store.findSample(db, channelId, messageId) : undefined;
    if (message === undefined) throw invalidField('messageId', 'must name a message of this channel');
    const { payload } = message;
    if (payload === null) throw new ApiError('CONFLICT', 'The message has been erased');
    return { ...message, payload };
  };

  /**
   * Throws NOT_FOUND for a missing channel; INVALID_REQUEST for an invalid filter, or for a message or a subscription
   * that the channel does not have; CONFLICT for an erased message.
   */
  return async (caller, channelId, { body, bodyText, query }) => {
    const { environmentId } = caller;
    const channel = isId('channel', channelId) ? await store.findChannel(db, environmentId, channelId) : undefined;
    if (channel === undefined) throw notFound('channel');
    const { filter, subscriptionId, messageId } = body;
    const measured = filter === undefined ? undefined : filters.measure(filter);
    if (measured !== undefined && 'problem' in measured) throw invalidField('filter', measured.problem);
    const sample =
      messageId === undefined
        ? { eventType: body.eventType ?? '', payload: payloadText(bodyText), metadata: body.metadata }
        : await storedSample(caller, channelId, messageId);

    const scope: ListScope = { list: `dry run of ${channelId}`, environmentId, filters: { subscriptionId } };
    const page = pageRequest(scope, query);
    const rows =
      subscriptionId === undefined || isId('subscription', subscriptionId)
        ? await store.findSubscriptions(db, { channelId, subscriptionId }, page)
        : [];
    if (subscriptionId !== undefined && rows.length === 0)
      throw invalidField('subscriptionId', 'must name a subscription of this channel');

    const { mode, problems } = await problemsIn({ environmentId, channelId }, [
      { eventType: sample.eventType, payload: JSON.parse(sample.payload), text: sample.payload, at: ['payload'] },
    ]);
    const errors = problems.flat();
    const asking = rows.slice(0, page.limit).filter(({ eventTypes }) => wantsEventType(eventTypes, sample.eventType));
    const expressions = [...new Set([filter, ...asking.map((row) => row.filter)])].filter(
      (each) => typeof each === 'string',
    );
    const verdicts = await filters.evaluate(expressions, { key: channelId, ...sample });
    const verdictOn = new Map(expressions.map((expression, index) => [expression, verdicts[index]]));
    const tried = filter === undefined ? undefined : verdictOn.get(filter);
    return {
      channel: {
        status: channel.status,
        accepts: channel.status === 'active' && (errors.length === 0 || mode === 'warn'),
        errors,
      },
      ...(tried && { filter: tried }),
      ...toPage(scope, page.limit, rows, (row) =>
        toRoute(row, sample.eventType, verdictOn.get(row.filter ?? ''), clock()),
      ),
    };
  };
}

/**
 * Evaluates a filter for the newest messages of a channel, as a delivery would. Payloads are read one after the other,
 * because fifty of the largest are 13 MB. Throws NOT_FOUND for a missing channel and INVALID_REQUEST for an invalid
 * filter.
 */
export function createFilterTrial(
  { db }: Pick<Dependencies, 'db'>,
  { filters }: Pick<Collaborators, 'filters'>,
): (caller: EnvironmentCaller, channelId: string, request: FilterTestRequest) => Promise<FilterTest> {
  return async ({ environmentId }, channelId, { filter, limit }) => {
    const channel = isId('channel', channelId) ? await store.findChannel(db, environmentId, channelId) : undefined;
    if (channel === undefined) throw notFound('channel');
    const measured = filters.measure(filter);
    if ('problem' in measured) throw invalidField('filter', measured.problem);
    const messages: FilterTest['messages'] = [];
    for (const { id, publishedAt } of await store.findNewest(db, channelId, limit)) {
      const sample = await store.findSample(db, channelId, id);
      // Removed or erased meanwhile.
      if (sample === undefined || sample.payload === null) continue;
      const { eventType, payload, metadata } = sample;
      const [verdict] = await filters.evaluate([filter], { key: channelId, eventType, payload, metadata });
      messages.push({
        messageId: id,
        eventType,
        publishedAt,
        matches: verdict?.matches === true,
        ...(verdict?.error !== undefined && { error: verdict.error }),
      });
    }
    return { matched: messages.filter(({ matches }) => matches).length, messages };
  };
}

/**
 * Returns which of the newest subscriptions of a message's channel would receive it now, and which have a delivery of
 * it. The caller must have found the message. Throws CONFLICT for an erased one, for which no filter can be evaluated.
 */
export function createMessageVerdicts(
  { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
  { filters }: Pick<Collaborators, 'filters'>,
): (message: Message) => Promise<MessageRouting> {
  return async ({ id, channelId, eventType, payload, metadata }) => {
    if (payload === undefined) throw new ApiError('CONFLICT', 'The message has been erased');
    const page = { limit: MOST_VERDICTS, after: undefined };
    // A test message goes to one subscription, whatever its event types and filter.
    const only = await store.findOnlySubscription(db, id);
    const found = await store.findSubscriptions(db, { channelId, subscriptionId: only }, page);
    const rows = found
      .slice(0, MOST_VERDICTS)
      .map((row) => (only === undefined ? row : { ...row, eventTypes: [], filter: null }));
    const deliveries = await store.findDeliveriesTo(
      db,
      id,
      rows.map((row) => row.id),
    );
    const asking = rows.filter((row) => wantsEventType(row.eventTypes, eventType));
    const expressions = [...new Set(asking.map(({ filter }) => filter))].filter((each) => typeof each === 'string');
    const verdicts = await filters.evaluate(expressions, {
      key: channelId,
      eventType,
      payload: stringifyExact(payload),
      metadata,
    });
    const verdictOn = new Map(expressions.map((expression, index) => [expression, verdicts[index]]));
    return {
      subscriptions: rows.map((row) => {
        const deliveryId = deliveries.get(row.id);
        return {
          ...toRoute(row, eventType, verdictOn.get(row.filter ?? ''), clock()),
          ...(deliveryId !== undefined && { deliveryId }),
        };
      }),
      isMore: found.length > rows.length,
    };
  };
}

function toRoute(
  { id, name, status, appSuspendedAt, eventTypes, filter, ...circuit }: store.DryRunSubscription,
  eventType: string,
  verdict: FilterVerdict | undefined,
  now: Date,
): DryRunRoute {
  const route = { subscriptionId: id, name };
  if (!wantsEventType(eventTypes, eventType))
    return {
      ...route,
      wouldReceive: false,
      reason: 'event_type',
      detail: `event types of the subscription: ${listedEventTypes(eventTypes)}`,
    };
  if (filter !== null && verdict?.matches !== true) {
    return verdict?.error === undefined
      ? { ...route, wouldReceive: false, reason: 'filter_does_not_match' }
      : { ...route, wouldReceive: false, reason: 'filter_failed', detail: verdict.error };
  }
  const isOpen =
    toCircuit({ openedAt: circuit.circuitOpenedAt, probeAt: circuit.circuitProbeAt }, now).state !== 'closed';
  const own = status === 'active' ? (isOpen ? 'circuit' : undefined) : status;
  const heldBy = appSuspendedAt === null ? own : 'app_suspended';
  return {
    ...route,
    wouldReceive: true,
    reason: filter === null ? 'no_filter' : 'filter_matches',
    ...(heldBy !== undefined && { heldBy }),
  };
}
