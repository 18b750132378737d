import { RememberingClient } from './lost-connections.ts';

/** pg's own method, which its types leave out: the parameters that begin a session. */
type Beginning = { getStartupConf(): Record<string, string> };

/**
 * A client of PgBouncer in its mode `transaction`. PgBouncer refuses `options`, by which other connections set the time zone, and keeps the
 * parameter of that name for each of its clients.
 */
export class PooledClient extends RememberingClient {
  getStartupConf(): Record<string, string> {
    // `as`: the version of pg is pinned, and pgbouncer.test.ts asks for the time zone.
    const { getStartupConf } = RememberingClient.prototype as unknown as Beginning;
    return { ...getStartupConf.call(this), TimeZone: 'UTC' };
  }
}
