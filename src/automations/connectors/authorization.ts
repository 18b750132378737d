/** A request's own way to prove who sends it, resolved. */
export type RequestAuth = { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string };

/** The header Authorization (RFC 7617, RFC 6750). */
export const authorizationOf = (auth: RequestAuth): string =>
  auth.type === 'bearer'
    ? `Bearer ${auth.token}`
    : `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
