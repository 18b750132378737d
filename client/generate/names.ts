import type { Row } from '../../src/api/http/route/route.ts';

/** Endpoints that no method calls, each with the part of the client that does. */
export const SPOKEN_ELSEWHERE: Readonly<Record<string, string>> = {
  'POST /oauth/token': 'client/src/credentials/access-token.ts, since its request is signed',
};

/** Whether a method of the client calls the endpoint. A redirect answers browsers that are led there, and no program. */
export const hasMethod = ({ method, path, status }: Pick<Row, 'method' | 'path' | 'status'>): boolean =>
  SPOKEN_ELSEWHERE[`${method} ${path}`] === undefined && status < 300;
