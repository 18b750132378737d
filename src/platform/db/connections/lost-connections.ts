import pg from 'pg';

// An ECONNREFUSED may be of anybody: a mail server, Redis, a receiver. The ones of PostgreSQL are known by where they were caught.
const lost = new WeakSet<object>();

/** Depth to which causes are searched. */
const MAX_CAUSES = 8;

/** Whether an error, or one of its causes, ended a connection to PostgreSQL or kept one from beginning. */
export function isOfLostConnection(error: unknown): boolean {
  let at = error;
  for (let depth = 0; typeof at === 'object' && at !== null && depth < MAX_CAUSES; depth += 1) {
    if (lost.has(at)) return true;
    at = Reflect.get(at, 'cause');
  }
  return false;
}

const remember = (error: unknown): void => {
  if (typeof error === 'object' && error !== null) lost.add(error);
};

type Connected = Parameters<pg.Client['connect']>[0];

/** A client that remembers which errors are of its connection (isOfLostConnection). */
export class RememberingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // Heard before the queries of this connection are rejected with the same error.
    this.on('error', remember);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (callback === undefined)
      return super.connect().catch((error: unknown) => {
        remember(error);
        throw error;
      });
    super.connect((error: Error | null) => {
      remember(error);
      // `as`: the two forms of pg's callback, with an error and without, are one function.
      (callback as (error: Error | null, client?: pg.Client) => void)(error, this);
    });
    return undefined;
  }
}
