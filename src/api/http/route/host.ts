import type { IncomingMessage } from 'node:http';
import { type ApiError, invalidField } from '../../../kernel/errors.ts';

/** `uri-host [ ":" port ]` of RFC 9110 §7.2: a name as RFC 3986 §3.2.2 has it, an IPv4 address or an IPv6 one in brackets. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::(?<port>\d{0,5}))?$/i;
const MAX_PORT = 65_535;

/**
 * Why the Host of a request is refused (RFC 9112 §3.2): missing in HTTP/1.1, given more than once, empty, or no host. With two of them
 * a proxy in front and this service could each believe a different one; Node takes the first. Node would answer a missing one by
 * itself and without a body, which is switched off (http/server.ts).
 */
export function hostProblem({ headersDistinct, httpVersion }: IncomingMessage): ApiError | undefined {
  const [host, ...others] = headersDistinct['host'] ?? [];
  if (others.length > 0) return invalidField('Host', 'is given more than once');
  if (host === undefined) return httpVersion === '1.1' ? invalidField('Host', 'is required') : undefined;
  const match = HOST.exec(host);
  const isHost = match !== null && Number(match.groups?.['port'] ?? 0) <= MAX_PORT;
  return isHost ? undefined : invalidField('Host', 'must be a host name or an address, with a port or without');
}
