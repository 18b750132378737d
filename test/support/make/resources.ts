import { randomBytes } from 'node:crypto';
import { type Channels, createChannels } from '../../../src/messaging/channels/service.ts';
import { ensureSystemChannels } from '../../../src/messaging/channels/store.ts';
import { type Apps, createApps } from '../../../src/identity/tenancy/apps/service.ts';
import { createKeyRing, type KeyRing } from '../../../src/platform/credentials/key-ring.ts';
import type { Database } from '../../../src/platform/db/client.ts';
import type { Tenants } from '../../../src/platform/db/tenants.ts';
import { createDeliveries, type Deliveries } from '../../../src/delivery/record/service.ts';
import type { EnvironmentCaller } from '../../../src/api/caller.ts';
import { type EnvironmentKind, SCOPES, TIER_LIMITS } from '../../../src/kernel/words/rights.ts';
import { createAudit } from '../../../src/identity/tenancy/audit/service.ts';
import { createNewId, type NewId } from '../../../src/platform/new-id.ts';
import { type AddressGuard, createAddressGuard } from '../../../src/platform/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../../src/platform/outbound/guard/own-addresses.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createFilters } from '../../../src/messaging/filters/filters.ts';
import { createSchemas } from '../../../src/messaging/schemas/schemas.ts';
import type { DeliveryStatus } from '../../../src/kernel/words/statuses.ts';
import { createSubscriptions, type Subscriptions } from '../../../src/messaging/subscriptions/service.ts';
import { createTestDatabase } from '../service/database.ts';
import { insertOrganisation } from './organisation.ts';
import { createReplays } from '../../../src/delivery/replays/service.ts';

/** Callers of the two environments of one app, with all rights. */
type Callers = { live: EnvironmentCaller; test: EnvironmentCaller };

/** The services of channels and subscriptions on their own database, without HTTP and Temporal. */
export type Resources = Callers & {
  db: Database;
  tenants: Tenants;
  databaseUrl: string;
  newId: NewId;
  keyRing: KeyRing;
  guard: AddressGuard;
  apps: Apps;
  channels: Channels;
  subscriptions: Subscriptions;
  deliveries: Deliveries;
  /** Moves the services' clock forward. */
  advance: (milliseconds: number) => void;
  now: () => Date;
  /** Inserts a delivery as publishing leaves it, with any status. Returns its id. */
  insertDelivery: (of: { channelId: string; subscriptionId: string; status: DeliveryStatus }) => Promise<string>;
  stop: () => Promise<void>;
};

export async function startResources(): Promise<Resources> {
  const database = await createTestDatabase();
  const { db, tenants } = database;
  const newId = createNewId(Date.now);
  let offset = 0;
  const now = () => new Date(Date.now() + offset);
  const keyRing = createKeyRing([{ kid: 'test', key: randomBytes(32) }]);
  const audit = createAudit({ db, tenants, newId, clock: now });
  const deliveries = createDeliveries({ tenants, clock: now }, { audit });
  const guard = createAddressGuard({ allowCidrs: [], allowHttp: false, own: createOwnAddresses([]) });
  const forget = (): Promise<void> => Promise.resolve();
  const makeSystemChannels = ensureSystemChannels;
  const apps = createApps({ db, tenants, newId, clock: now }, { audit, makeSystemChannels, forget });
  const callers = await insertCallers(db, newId);
  return {
    db,
    tenants,
    databaseUrl: database.url,
    newId,
    keyRing,
    guard,
    ...callers,
    now,
    deliveries,
    apps,
    channels: createChannels(
      { tenants, newId, clock: now },
      { apps, deliveries, audit, schemas: createSchemas({ log: createLog('silent') }) },
    ),
    subscriptions: createSubscriptions(
      { tenants, newId, clock: now, keyRing },
      {
        apps,
        guard,
        deliveries,
        replayFrom: createReplays({ tenants, newId, clock: now }, { audit, filters: createFilters() }).messages
          .startWithin,
        filters: createFilters(),
        audit,
      },
    ),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
    insertDelivery: (of) => insertDelivery(db, newId, { ...of, environmentId: callers.live.environmentId }),
    stop: () => database.drop(),
  };
}

async function insertCallers(db: Database, newId: NewId): Promise<Callers> {
  const environmentIds = await insertOrganisation({ db, newId });
  const callerOf = async (environment: EnvironmentKind): Promise<EnvironmentCaller> => {
    const environmentId = environmentIds[environment];
    const { app } = await db.environment.findUniqueOrThrow({ where: { id: environmentId }, include: { app: true } });
    return {
      organisationId: app.organisationId,
      appId: app.id,
      environmentId,
      environment,
      principal: { kind: 'apiKey', id: newId('apiKey') },
      level: 'environment',
      scopes: new Set(SCOPES),
      limits: TIER_LIMITS.enterprise,
    };
  };
  return { live: await callerOf('live'), test: await callerOf('test') };
}

async function insertDelivery(
  db: Database,
  newId: NewId,
  of: { environmentId: string; channelId: string; subscriptionId: string; status: DeliveryStatus },
): Promise<string> {
  const isUnfinished = of.status === 'pending' || of.status === 'retrying';
  const row = await db.delivery.create({
    data: {
      ...of,
      id: newId('delivery'),
      messageId: newId('message'),
      attempts: of.status === 'pending' ? 0 : 1,
      dueAt: isUnfinished ? new Date() : null,
      nextRetryAt: of.status === 'retrying' ? new Date() : null,
      carrier: of.status === 'retrying' ? 'delivery/x/1' : null,
      maxRetries: 3,
      initialDelay: 1_000,
      maxDelay: 10_000,
      backoffMultiplier: 2,
    },
  });
  return row.id;
}
