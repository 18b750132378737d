import type { Logger } from 'pino';
import type { Pool } from 'pg';
import type { Config } from './config/config.ts';
import type { CrashGuard } from './crashes/crash-guard.ts';
import type { Database } from './db/client.ts';
import type { Tenants } from './db/tenants.ts';
import type { Slices } from './slices.ts';
import type { KeyRing } from './credentials/key-ring.ts';
import type { NewId } from './new-id.ts';
import type { AddressGuard } from './outbound/guard/address-guard.ts';
import type { OwnAddresses } from './outbound/guard/own-addresses.ts';

/** The current time. Services receive it as a dependency, so that tests can set it. */
export type Clock = () => Date;

/** Everything with a connection or state. Created only by process/assembly/create-dependencies.ts. */
export type Dependencies = {
  config: Config;
  log: Logger;
  clock: Clock;
  newId: NewId;
  /** The Prisma client of the system connection, which sees the rows of every tenant (decision 37). */
  db: Database;
  /** Raw connections of the same user: publish, claim, record. */
  pool: Pool;
  /** Access for everything else that callers request. */
  tenants: Tenants;
  keyRing: KeyRing;
  /** One per process: queues work on what callers send or read that may take long. */
  costly: Slices;
  /** Addresses of this process and its servers; each server adds its own when it starts to listen. */
  own: OwnAddresses;
  /** Tracks which work has crashed processes. */
  crashes: CrashGuard;
  /** Decides where outgoing requests may go. */
  guard: AddressGuard;
};
