import type { DeliveryChanges, ReplayFrom } from '../delivery-changes.ts';
import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Filters } from '../filters/filters.ts';
import type { Apps } from '../../identity/tenancy/apps/service.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import type { AddressGuard } from '../../platform/outbound/guard/address-guard.ts';
import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import { changedParts } from '../../kernel/words/audit-actions.ts';
import { UNITS_OF_A_CHANNEL } from '../filters/expressions/units.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, narrowByName, pageRequest, toPage } from '../../kernel/values/page.ts';
import {
  completeRetryPolicy,
  MAX_RETRY_AFTER,
  type RetryPolicy,
  retryPolicyProblem,
} from '../../kernel/contract/retry-policy.ts';
import { findConcurrency } from './store.ts';
import {
  type CreatedSubscription,
  type CreateSubscription,
  type ListSubscriptions,
  type Subscription,
  subscriptionChange,
  type UpdateSubscription,
} from './schema.ts';
import { sealSigningSecret } from '../../platform/outbound/sign.ts';
import { createSigningSecrets, type FindOrRefuse, type SigningSecrets } from './secrets.ts';
import * as store from './store.ts';
import { createTargets } from './targets.ts';

const MAX_NAME_LENGTH = 200;
/** Deleting may have to wait for another change of the subscription. Prisma's default is 5 s. */
const DELETE_TIMEOUT_MS = 60_000;

export type Subscriptions = SigningSecrets & {
  /** With `startFrom`, stored messages since then are replayed to it; `replayId` identifies the replay. */
  create(caller: EnvironmentCaller, body: CreateSubscription): Promise<CreatedSubscription>;
  list(caller: EnvironmentCaller, query: ListSubscriptions): Promise<Page<Subscription>>;
  get(caller: EnvironmentCaller, id: string): Promise<Subscription>;
  update(caller: EnvironmentCaller, id: string, body: UpdateSubscription): Promise<Subscription>;
  /** Soft delete: history stays readable. Unfinished deliveries fail without a dead letter. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /** From active or disabled. Deliveries wait until it is resumed; an attempt in progress continues. */
  pause(caller: EnvironmentCaller, id: string): Promise<Subscription>;
  /**
   * From paused or disabled. Waiting deliveries become due. The oldest are started first, but nothing keeps them in
   * that order.
   */
  resume(caller: EnvironmentCaller, id: string): Promise<Subscription>;
};

type UnitsWanted = {
  id: string;
  channelId: string;
  filter?: string | null | undefined;
  filterUnits?: number | null;
};
type Collaborators = {
  apps: Pick<Apps, 'share'>;
  guard: Pick<AddressGuard, 'checkWebhookUrl' | 'judgeWebhookUrl'>;
  deliveries: DeliveryChanges;
  replayFrom: ReplayFrom;
  filters: Pick<Filters, 'measure'>;
  audit: { record: RecordAudit };
};

/** A read-only connection of a tenant, or a transaction of one. */
type Reader = Pick<DatabaseReader, 'subscription' | '$queryRaw'>;

export function createSubscriptions(
  { tenants, newId, clock, keyRing }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing'>,
  { apps, guard, deliveries, replayFrom, filters, audit }: Collaborators,
): Subscriptions {
  /** An id of another form never reaches the database, whatever characters it contains. */
  const found: FindOrRefuse = async (id, look) => {
    const subscription = isId('subscription', id) ? await look() : undefined;
    if (subscription === undefined) throw notFound('subscription');
    return subscription;
  };
  const targets = createTargets(guard);
  /** Returns the subscription as its endpoint shows it, except for warnings. */
  const shown = async <T extends Subscription>(reader: Reader, subscription: T): Promise<T> => ({
    ...subscription,
    concurrency: await findConcurrency(reader, subscription),
  });
  /** Adds warnings, which may require a DNS query, so only after the transaction has ended. */
  const warned = async <T extends Subscription>(reading: Promise<T>): Promise<T> => {
    const subscription = await reading;
    return targets.withWarnings(subscription, await targets.judge(subscription.webhookUrl));
  };
  const find = async (reader: Reader, { environmentId }: EnvironmentCaller, id: string): Promise<Subscription> =>
    shown(reader, await found(id, () => store.findSubscription(reader, environmentId, id, clock())));
  const get = (caller: EnvironmentCaller, id: string): Promise<Subscription> =>
    warned(tenants.read(caller, (reader) => find(reader, caller, id)));

  /**
   * Returns the columns of a given filter; empty if none is given. Throws INVALID_REQUEST if the filter is not valid.
   */
  const measured = (filter: string | null | undefined): { filterUnits?: number | null } => {
    if (typeof filter !== 'string') return filter === null ? { filterUnits: null } : {};
    const found = filters.measure(filter);
    if ('problem' in found) throw invalidField('filter', found.problem);
    return { filterUnits: found.units };
  };

  /**
   * Throws INVALID_REQUEST if the channel does not have enough units left for the filter. Call it while holding the
   * lock of the channel, so that concurrent changes see each other.
   */
  const requireUnits = async (
    transaction: DatabaseTransaction,
    { id, channelId, filter, filterUnits }: UnitsWanted,
  ): Promise<void> => {
    if (typeof filter !== 'string' || typeof filterUnits !== 'number') return;
    const others = await store.unitsOfOthers(transaction, channelId, { filter, id });
    const free = UNITS_OF_A_CHANNEL - others;
    if (filterUnits > free)
      throw invalidField(
        'filter',
        `must take at most ${Math.max(free, 0)} units per message, but may take up to ${filterUnits}: the other filters of the channel take ${others} of ${UNITS_OF_A_CHANNEL}`,
      );
  };

  /**
   * Service events are published by statements that cannot evaluate expressions
   * (delivery/record/statements/service-events.ts).
   */
  const refuseSystemFilter = (filter: string | null | undefined, channel: { isSystem: boolean } | undefined): void => {
    if (typeof filter === 'string' && channel?.isSystem === true)
      throw invalidField('filter', 'cannot be used on the system channel; use eventTypes instead');
  };

  /**
   * Locks the subscription for a change; for a change that affects publishing, also its channel, which is locked first.
   */
  const lock = async (
    transaction: DatabaseTransaction,
    environmentId: string,
    id: string,
    needsChannel: (before: Subscription) => boolean,
  ) => {
    // The channel of a subscription never changes, so it can be read without a lock.
    const before = await found(id, () => store.findSubscription(transaction, environmentId, id, clock()));
    const channel = needsChannel(before)
      ? await store.lockChannel(transaction, environmentId, before.channelId)
      : undefined;
    const subscription = await found(id, () => store.lockSubscription(transaction, environmentId, id, clock()));
    return { subscription, channel };
  };

  const activate = async (transaction: DatabaseTransaction, environmentId: string, id: string, now: Date) => {
    if (await store.setActive(transaction, environmentId, id, now)) await deliveries.releaseHeldOf(transaction, id);
  };

  /** Pauses or resumes. Repeating it changes nothing and is not recorded. */
  const setStatus = async (
    caller: EnvironmentCaller,
    id: string,
    status: 'paused' | 'active',
  ): Promise<Subscription> => {
    const { environmentId } = caller;
    const changed = tenants.within(caller, async (transaction) => {
      const before = await found(id, () => store.lockSubscription(transaction, environmentId, id, clock()));
      if (status === 'paused') await store.setPaused(transaction, environmentId, id, clock());
      else await activate(transaction, environmentId, id, clock());
      if (before.status !== status) {
        const parts = changedParts(before, { status }, ['status']);
        await audit.record(transaction, caller, { action: 'subscription.updated', target: { id }, ...parts });
      }
      return find(transaction, caller, id);
    });
    return warned(changed);
  };

  return {
    async create(caller, { startFrom, secret, ...body }) {
      const { environmentId } = caller;
      targets.check(body, await targets.judge(body.webhookUrl));
      const { filterUnits } = measured(body.filter);
      const { sealed } = sealSigningSecret(keyRing, newId('secret'), secret);
      const creating = tenants.within(caller, async (transaction) => {
        const { settings, suspendedAt: appSuspendedAt } = await apps.share(transaction, caller.appId);
        const { timeoutMs, circuitBreaker } = settings;
        const retryPolicy = toRetryPolicy(body.retryPolicy, settings.retryPolicy);
        const hasFilter = typeof body.filter === 'string';
        // With a replay, lock the channel exclusively too: a scheduled message is then published either before, so that
        // the replay finds it, or after, so that it finds the subscription.
        const take = hasFilter || startFrom !== undefined ? store.lockChannel : store.shareChannel;
        const channel = isId('channel', body.channelId)
          ? await take(transaction, environmentId, body.channelId)
          : undefined;
        if (channel === undefined) throw invalidField('channelId', 'must name a channel of this environment');
        if (channel.status === 'archived') throw new ApiError('CONFLICT', 'The channel is archived');
        refuseSystemFilter(body.filter, channel);
        const name = body.name ?? new URL(body.webhookUrl).host.slice(0, MAX_NAME_LENGTH);
        const subscription = {
          timeoutMs,
          circuitBreaker,
          maxRetryAfter: MAX_RETRY_AFTER.default,
          ...body,
          ...(filterUnits !== undefined && { filterUnits }),
          name,
          retryPolicy,
          id: newId('subscription'),
          environmentId,
          appSuspendedAt,
        };
        await requireUnits(transaction, subscription);
        const stored = await store.insertSubscription(transaction, subscription, sealed, clock());
        const created = await shown(transaction, stored);
        if (hasFilter) await store.raiseConfigVersion(transaction, channel.id);
        const replay =
          startFrom === undefined
            ? undefined
            : await replayFrom(transaction, caller, { subscriptionId: created.id, startFrom });
        const target = { id: created.id };
        await audit.record(transaction, caller, {
          action: 'subscription.created',
          target,
          after: { ...body, name, ...(secret !== undefined && { hasOwnSecret: true }) },
        });
        return replay === undefined ? created : { ...created, replayId: replay.id };
      });
      return warned(creating);
    },

    async list(caller, { limit, cursor, name, ...filter }) {
      const filters = { ...filter, ids: filter.ids?.join(','), name };
      const scope: ListScope = { list: 'subscriptions', environmentId: caller.environmentId, filters };
      const page = pageRequest(scope, { limit, cursor });
      const { wanted, lookedTo } = await narrowByName(filter, name, (named) =>
        tenants.list(caller, (transaction) =>
          store.findSubscriptionsNamed(transaction, caller.environmentId, page, named, clock()),
        ),
      );
      const rows = await tenants.read(caller, (reader) =>
        store.findSubscriptions(reader, caller.environmentId, page, wanted, clock()),
      );
      return toPage(scope, page.limit, rows, (row) => targets.withWarnings(row), lookedTo);
    },

    get,

    async update(caller, id, body) {
      const { environmentId } = caller;
      const mayBeForPublishing = body.filter !== undefined || body.eventTypes !== undefined;
      const verdict = await targets.judge(body.webhookUrl);
      const changed = tenants.within(caller, async (transaction) => {
        // Lock first: of two concurrent patches, the second merges into the result of the first.
        const { subscription, channel } = await lock(transaction, environmentId, id, () => mayBeForPublishing);
        const retryPolicy = body.retryPolicy && toRetryPolicy(body.retryPolicy, subscription.retryPolicy);
        const { status, ...change } = subscriptionChange.of(subscription, {
          ...body,
          ...(retryPolicy !== undefined && { retryPolicy }),
        });
        targets.check(change, verdict, subscription);
        const counted = measured(change.filter);
        refuseSystemFilter(change.filter, channel);
        await requireUnits(transaction, { ...subscription, filter: change.filter, ...counted });
        const now = clock();
        if (status === 'paused') await store.setPaused(transaction, environmentId, id, now);
        if (status === 'active') await activate(transaction, environmentId, id, now);
        if (Object.keys(change).length > 0)
          await store.updateSubscription(transaction, id, { ...change, ...counted }, now);
        const updated = await found(id, () => store.findSubscription(transaction, environmentId, id, now));
        const isFilterChanged = updated.filter !== subscription.filter;
        if (isFilterChanged || (updated.filter !== undefined && change.eventTypes !== undefined))
          await store.raiseConfigVersion(transaction, updated.channelId);
        const names = [...Object.keys(change), ...(status === undefined ? [] : ['status'])];
        if (names.length > 0) {
          const parts = changedParts(subscription, updated, names);
          await audit.record(transaction, caller, { action: 'subscription.updated', target: { id }, ...parts });
        }
        return shown(transaction, updated);
      });
      return warned(changed);
    },

    async delete(caller, id) {
      await tenants.within(
        caller,
        async (transaction) => {
          const { channel } = await lock(transaction, caller.environmentId, id, ({ filter }) => filter !== undefined);
          await store.markSubscriptionDeleted(transaction, id, clock());
          if (channel !== undefined) await store.raiseConfigVersion(transaction, channel.id);
          await deliveries.endOfSubscriptions(transaction, [id]);
          await audit.record(transaction, caller, { action: 'subscription.deleted', target: { id } });
        },
        { timeout: DELETE_TIMEOUT_MS },
      );
      await deliveries.endRestOfSubscriptions(caller, [id]);
    },

    async pause(caller, id) {
      return setStatus(caller, id, 'paused');
    },

    async resume(caller, id) {
      return setStatus(caller, id, 'active');
    },

    ...createSigningSecrets({ tenants, newId, clock, keyRing }, { audit, found }),
  };
}

function toRetryPolicy(given: Partial<RetryPolicy>, base?: RetryPolicy): RetryPolicy {
  const policy = completeRetryPolicy(given, base);
  const problem = retryPolicyProblem(policy);
  if (problem !== undefined) throw invalidField(`retryPolicy.${problem.field}`, problem.reason);
  return policy;
}
