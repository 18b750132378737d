import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

// The path matched that of one session too, so that Allow named DELETE beside POST.
test.each([
  ['DELETE', '/v1/sessions/revoke-others', 'POST'],
  ['OPTIONS', '/v1/user/passkeys/options', 'POST'],
  ['GET', '/v1/messages/batch', 'POST'],
  ['DELETE', '/v1/dlq/replay', 'GET, HEAD, POST'],
])(
  'another method of a literal path is not allowed, and Allow names its own ones alone: %s %s',
  async (method, path, allow) => {
    const { status, headers } = await fetch(posthorn.url + path, {
      method,
      headers: { authorization: `Bearer ${posthorn.keys.live}` },
    });
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  },
);
