import { expect, test } from '@jest/globals';
import { refusalOf } from '../support/check/token-answers.ts';
import { startPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient, type Heard } from '../support/world/token-client.ts';

test('26 the 31st request in a minute is refused, whatever addresses it claims to come by; others are not', async () => {
  const own = await startPosthorn({ withWorker: false, addressRequestsPerMinute: 30 });
  try {
    const its = createTokenClient(() => own);
    const mine = await its.register();
    const answers: Heard[] = [];
    for (let n = 0; n < 31; n += 1)
      answers.push(
        await its.ask({
          credential: mine,
          headers: { 'x-forwarded-for': `203.0.113.${n}` },
          ...(n % 3 > 0 && { raw: '{' }),
        }),
      );
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 30 }, (_, n) => (n % 3 > 0 ? 400 : 200)),
      429,
    ]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
      ...Array.from({ length: 30 }, (_, n) => String(29 - n)),
      '0',
    ]);
    const last = answers[30];
    expect([last?.headers['x-ratelimit-limit'], last?.body.error?.code]).toEqual(['30', 'RATE_LIMITED']);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
    // A form is told in the envelope as well: RFC 6749 has no word for it.
    expect((await its.ask({ credential: mine, isForm: true })).body.error?.code).toBe('RATE_LIMITED');
    // A key does not help, and everything else goes on.
    expect((await its.ask({ credential: mine, headers: { authorization: `Bearer ${own.keys.live}` } })).status).toBe(
      429,
    );
    expect((await own.request('GET', '/v1/channels')).status).toBe(200);
    expect((await own.request('GET', '/.well-known/jwks.json', undefined, { key: null })).status).toBe(200);
  } finally {
    await own.stop();
  }
});

test('20 with DPOP_NONCES a proof needs a nonce, which the refusal hands out, at both kinds of endpoint', async () => {
  const own = await startPosthorn({ withWorker: false, variables: { DPOP_NONCES: 'true' } });
  try {
    const its = createTokenClient(() => own);
    const mine = await its.register();
    const foreign = 'A'.repeat(22);
    let nonce = '';
    for (const given of [undefined, foreign]) {
      const answer = await its.ask({ credential: mine, ...(given !== undefined && { nonce: given }) });
      expect(refusalOf(answer)).toEqual([400, 'INVALID_REQUEST', 'use_dpop_nonce']);
      expect(answer.headers['cache-control']).toBe('no-store');
      nonce = String(answer.headers['dpop-nonce']);
    }
    const answer = await its.ask({ credential: mine, nonce });
    expect([answer.status, answer.headers['dpop-nonce']]).toEqual([200, expect.stringMatching(/^[\w-]{22}$/)]);
    const token = answer.body.access_token ?? '';
    const refused = await its.call(token);
    expect(refusalOf(refused)).toEqual([401, 'UNAUTHORIZED', 'use_dpop_nonce']);
    expect(refused.headers['www-authenticate']).toContain('DPoP realm="api", error="use_dpop_nonce"');
    const taken = await its.call(token, { parts: { claims: { nonce: refused.headers['dpop-nonce'] } } });
    expect([taken.status, taken.headers['dpop-nonce']]).toEqual([200, expect.stringMatching(/^[\w-]{22}$/)]);
  } finally {
    await own.stop();
  }
});
