import { expect, test } from '@jest/globals';
import { redisTrouble } from './redis-counters.ts';

const URL_WITH_PASSWORD = 'redis://user:secret@cache:6379/3';

// Old mechanism: the log had Redis's or Node's own words, which name no setting: ECONNREFUSED, WRONGPASS, "Stream isn't writeable".
test.each([
  [Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6379'), { code: 'ECONNREFUSED' }), 'nothing listens there'],
  [Object.assign(new Error('getaddrinfo ENOTFOUND cache'), { code: 'ENOTFOUND' }), 'its host name cannot be resolved'],
  [new Error('WRONGPASS invalid username-password pair or user is disabled.'), 'it rejects the password'],
  [new Error('NOAUTH Authentication required.'), 'it requires a password'],
  [new Error('ERR DB index is out of range'), 'it has no database with that number'],
  [
    Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    'its certificate is not trusted',
  ],
  [Object.assign(new Error('SSL wrong version number'), { code: 'EPROTO' }), 'it does not use TLS'],
  [new Error('Protocol error, got "H" as reply type byte.'), 'it is something other than Redis'],
  [new Error("Stream isn't writeable and enableOfflineQueue options is false"), 'it closes the connection'],
  [new Error('connect ETIMEDOUT'), 'it does not respond'],
])('%s names REDIS_URL, the place and what to do, and no password', (failure, advice) => {
  const sentence = redisTrouble(URL_WITH_PASSWORD, failure);
  expect(sentence).toContain(`REDIS_URL: Redis at cache:6379 cannot be used: ${advice}`);
  expect(sentence).not.toContain('secret');
});
