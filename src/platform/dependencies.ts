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

/** The time of day. Services take it, so that tests can set it. */
export type Clock = () => Date;

/** Everything with a connection or a state behind it. Made here and nowhere else. */
export type Dependencies = {
  config: Config;
  log: Logger;
  clock: Clock;
  newId: NewId;
  /** The Prisma client as the engine's user, who sees the rows of every tenant (decision 37). */
  db: Database;
  /** Raw connections of the same user: publish, claim, record. */
  pool: Pool;
  /** Everything else that a caller asks for. */
  tenants: Tenants;
  keyRing: KeyRing;
  /** One for the process: work on what callers send or read that may take long. */
  costly: Slices;
  /** Addresses of this process and its servers; each server adds its own when it begins to listen. */
  own: OwnAddresses;
  /** Knows what processes have died of. */
  crashes: CrashGuard;
  /** Where outgoing requests may go. */
  guard: AddressGuard;
};
