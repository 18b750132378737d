/** A request as a service documents it. `to` is the host and path; `body` is JSON, or the fields of a form. */
export type Vector = {
  params: Record<string, unknown>;
  method: string;
  to: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
};

/** Credentials that a connector accepts, the headers of its requests, and a vector for each of its operations. */
export type ConnectorVectors = {
  credentials?: Record<string, unknown>;
  headers?: Record<string, string>;
  operations: Record<string, Vector>;
};

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The idempotency key of every vector. */
export const KEY = 'run_1:ask:';
