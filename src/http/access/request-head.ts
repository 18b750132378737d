import type { IncomingMessage } from 'node:http';
import type { RequestHead } from '../../caller/scheme.ts';
import { pathOf } from '../route/match-route.ts';

/** A request as schemes of authentication see it. */
export const headOf = ({ method = '', url = '', headersDistinct }: IncomingMessage): RequestHead => ({
  method,
  target: url,
  get path() {
    return pathOf(url);
  },
  // Taken from rawHeaders: of two Authorization headers Node's own view shows the first one only.
  header: (name) => headersDistinct[name] ?? [],
});
