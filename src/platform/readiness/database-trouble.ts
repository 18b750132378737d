import type { Config } from '../config/config.ts';
import { failureCodes } from '../db/failures.ts';
import { NotReady } from '../../kernel/errors.ts';

type Trouble = {
  codes?: readonly string[];
  says?: RegExp;
  reason: string;
  advice: string;
  isLasting: boolean;
  /** PgBouncer reports its own text with a SQLSTATE that stands for many things. */
  isOfPooler?: boolean;
};

const AWAY = 'The database cannot be reached';
const REFUSED = 'The database rejects the service';

/** Database problems by the codes of PostgreSQL, Prisma and Node; the first match is used. */
const TROUBLES: readonly Trouble[] = [
  {
    codes: ['28P01', 'P1000', 'AuthenticationFailed'],
    reason: REFUSED,
    advice: 'rejects the user name or the password; correct them, with %40 for @ and so on in the password',
    isLasting: true,
  },
  {
    codes: ['28000', 'P1010', 'DatabaseAccessDenied'],
    reason: REFUSED,
    advice:
      'does not allow this user to connect from here; allow it in pg_hba.conf, or add ?sslmode=verify-full if it requires TLS',
    isLasting: true,
  },
  {
    codes: ['3D000', 'P1003', 'DatabaseDoesNotExist'],
    reason: 'The database does not exist',
    advice: 'has no database with that name; create it, or correct the name at the end of the URL',
    isLasting: true,
  },
  {
    says: /unsupported startup parameter/,
    reason: REFUSED,
    advice: 'is PgBouncer; also set DIRECT_DATABASE_URL to PostgreSQL itself',
    isLasting: true,
    isOfPooler: true,
  },
  {
    codes: ['SETTINGS_DROPPED'],
    reason: REFUSED,
    advice:
      'drops session settings, as PgBouncer does with ignore_startup_parameters; also set DIRECT_DATABASE_URL to PostgreSQL itself',
    isLasting: true,
  },
  {
    says: /does not support SSL/,
    reason: REFUSED,
    advice: 'does not offer TLS, which the URL requires; remove sslmode from the URL, or enable TLS there',
    isLasting: true,
  },
  {
    says: /certificate|altnames|self.signed/i,
    reason: REFUSED,
    advice: 'has a certificate that is not trusted here; add sslrootcert=<file> to the URL, or correct the host name',
    isLasting: true,
  },
  {
    codes: ['ECONNREFUSED'],
    reason: AWAY,
    advice: 'is not running: nothing listens there; start PostgreSQL, or correct host and port',
    isLasting: false,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    reason: AWAY,
    advice: 'has a host name that cannot be resolved; correct it',
    isLasting: false,
  },
  {
    codes: ['ENOENT'],
    reason: AWAY,
    advice: 'names a socket or a file that does not exist; correct the path',
    isLasting: false,
  },
  {
    codes: ['25006'],
    reason: 'The database is read-only',
    advice: 'is read-only; use the primary, or set default_transaction_read_only to off there',
    isLasting: false,
  },
  {
    codes: ['53100'],
    reason: 'The disk of the database is full',
    advice: 'accepts no writes because its disk is full; free some space',
    isLasting: false,
  },
  {
    codes: ['42501'],
    reason: REFUSED,
    advice: 'does not give this user enough rights; make it the owner of the database',
    isLasting: true,
  },
  {
    codes: ['57P01', '57P02', '57P03', 'DatabaseNotReady'],
    reason: 'The database is stopping or starting',
    advice: 'is stopping or starting; wait for it',
    isLasting: false,
  },
  {
    codes: ['53300', 'P2037', 'TooManyConnections'],
    reason: 'The database has no free connection for the service',
    advice: 'has no free connection; raise max_connections, or run fewer processes',
    isLasting: false,
  },
  {
    says: /timeout|timed out/i,
    codes: ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'P1002', 'P1008', 'SocketTimeout'],
    reason: AWAY,
    advice: 'does not respond; check the firewalls in between, or correct host and port',
    isLasting: false,
  },
  {
    codes: ['ECONNRESET', 'EPIPE', 'P1017', 'ConnectionClosed', '08P01'],
    says: /Connection terminated|closed the connection|invalid response|unexpected/i,
    reason: AWAY,
    advice: 'closes the connection without a response; is it PostgreSQL that listens there?',
    isLasting: false,
  },
];

/** Where PostgreSQL is, and which setting says so: with a `pooledDatabaseUrl`, DATABASE_URL is a pooler. */
export type DatabasePlace = Partial<Pick<Config, 'databaseUrl' | 'pooledDatabaseUrl'>>;

/** Name of the setting with the address of PostgreSQL itself. */
export const databaseSetting = ({ pooledDatabaseUrl }: DatabasePlace): string =>
  pooledDatabaseUrl === undefined ? 'DATABASE_URL' : 'DIRECT_DATABASE_URL';

/** Returns the NotReady that explains a failed call to the database; undefined if the failure has another cause. */
export function databaseTrouble(failure: unknown, place: DatabasePlace): NotReady | undefined {
  const { codes, messages } = failureCodes(failure);
  // A statement's own error may contain any text, for example a value or a name, and has a SQLSTATE.
  const hasSqlState = codes.some((code) => /^\d[\dA-Z]{4}$/.test(code));
  const trouble = TROUBLES.find(
    ({ codes: known, says, isOfPooler = false }) =>
      known?.some((code) => codes.includes(code)) === true ||
      ((!hasSqlState || (isOfPooler && codes.includes('08P01'))) && says && messages.some((text) => says.test(text))),
  );
  if (trouble === undefined) return undefined;
  const { reason, advice, isLasting } = trouble;
  return new NotReady(reason, {
    advice: `${databaseSetting(place)}: ${hostOf(place.databaseUrl)} ${advice}`,
    isLasting,
    cause: failure,
  });
}

/** Runs a command's work. If the database cannot be used, throws one sentence that names the remedy. */
export async function explainingDatabase<T>(place: DatabasePlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    const trouble = databaseTrouble(failure, place);
    if (trouble === undefined) throw failure;
    throw new Error(trouble.advice, { cause: failure });
  }
}

/** Never includes the user or the password. */
function hostOf(databaseUrl: string | undefined): string {
  if (databaseUrl === undefined) return 'PostgreSQL';
  const { host, hostname, port } = new URL(databaseUrl);
  return port === '' && hostname !== '' ? `${host}:5432` : host || 'PostgreSQL';
}
