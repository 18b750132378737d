import { expect, test } from '@jest/globals';
import { createTokenHolder, readToken } from '../src/credentials/access-token.ts';
import { signTokenRequest } from '../src/credentials/proof.ts';
import { PosthornError } from '../src/errors.ts';

const flush = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A holder with a clock, and exchanges that are ended by hand. */
function scene() {
  let now = 0;
  const asked: { give: (text: string) => void; fail: () => void }[] = [];
  const holder = createTokenHolder(
    () =>
      new Promise((resolve, reject) => {
        const askedAt = now;
        asked.push({
          give: (text) => resolve(readToken({ access_token: text, expires_in: 900 }, askedAt)),
          fail: () => reject(new PosthornError('away')),
        });
      }),
    () => now,
  );
  return { holder, asked, at: (seconds: number) => void (now = seconds * 1_000) };
}

test('callers at the same time share one exchange, and later ones its token', async () => {
  const { holder, asked } = scene();
  const all = [holder.get(), holder.get(), holder.get()];
  asked[0]?.give('one');
  expect(await Promise.all(all)).toEqual(['one', 'one', 'one']);
  expect(await holder.get()).toBe('one');
  expect(asked).toHaveLength(1);
});

test('at 80 % of its life one exchange renews it, while calls go on with the old one', async () => {
  const { holder, asked, at } = scene();
  const first = holder.get();
  asked[0]?.give('one');
  await first;
  at(719);
  expect([await holder.get(), asked.length]).toEqual(['one', 1]);
  at(720);
  expect([await holder.get(), await holder.get(), asked.length]).toEqual(['one', 'one', 2]);
  asked[1]?.give('two');
  await flush();
  expect(await holder.get()).toBe('two');
});

test('a renewal that fails is made again, and is met by a caller only when the old token has ended', async () => {
  const { holder, asked, at } = scene();
  const first = holder.get();
  asked[0]?.give('one');
  await first;
  at(800);
  expect(await holder.get()).toBe('one');
  asked[1]?.fail();
  await flush();
  expect([await holder.get(), asked.length]).toEqual(['one', 3]);
  asked[2]?.fail();
  await flush();
  at(900);
  const late = holder.get();
  asked[3]?.fail();
  await expect(late).rejects.toThrow('away');
  const last = holder.get();
  asked[4]?.give('two');
  expect(await last).toBe('two');
});

test('a token that was refused is forgotten, unless another one is in force already', async () => {
  const { holder, asked } = scene();
  const first = holder.get();
  asked[0]?.give('one');
  await first;
  holder.drop('zero');
  expect(await holder.get()).toBe('one');
  holder.drop('one');
  const second = holder.get();
  asked[1]?.give('two');
  expect(await second).toBe('two');
});

test('an answer that is no token is refused', () => {
  expect(() => readToken({ access_token: 'x' }, 0)).toThrow(PosthornError);
});

// The values of docs/reference/token-exchange.md, Test vector; the proof is that of RFC 9449 §4.1.
test('client_secret is the documented HMAC of the documented proof', async () => {
  const proof =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg';
  const secret = 'ocs_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
  expect(await signTokenRequest(secret, 'oac_test', proof)).toBe('v1.J6Ce1JX0RNxy9Y2GlzQ9SmTv0yAYzcZoSaK9N91Br98');
});
