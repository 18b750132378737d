import { describe, expect, test } from '@jest/globals';
import { createMask, createMasking, placesByField, secretsAt, unmasked } from './masked.ts';
import { createTextFinder } from './text-finder.ts';

describe('the places of secrets', () => {
  test('are recorded, and filled in however often a name occurs', () => {
    const { secretOf, take, places } = createMasking();
    const shown = take('a', `x ${secretOf('ONE')}, ${secretOf('TWO')}${secretOf('ONE')}!`);
    expect(shown).toBe('x [secret ONE], [secret TWO][secret ONE]!');
    expect(take('b', 'nothing')).toBe('nothing');
    const secrets = new Map([
      ['ONE', '[secret TWO]'],
      ['TWO', '2'],
    ]);
    const given = { places: placesByField(places), secrets };
    expect(unmasked('a', shown, given)).toBe('x [secret TWO], 2[secret TWO]!');
    expect(unmasked('b', shown, given)).toBe(shown);
  });

  test('fail the step with the first missing name', async () => {
    const places = ['B', 'A', 'B'].map((name, at) => ({ field: 'x', at, name }));
    const asked: (readonly string[])[] = [];
    const open = (_: string, names: readonly string[]) => {
      asked.push(names);
      return Promise.resolve(new Map([['B', 'b']]));
    };
    await expect(secretsAt(open, 'env', places)).rejects.toMatchObject({ code: 'SECRET_MISSING' });
    expect(asked).toEqual([['B', 'A']]);
    expect(await secretsAt(open, 'env', [])).toEqual(new Map());
    expect(asked).toHaveLength(1);
  });

  test('are limited to 100 per request and 32 KiB in total', async () => {
    const places = (count: number) => Array.from({ length: count }, (_, at) => ({ field: 'x', at, name: `S${at}` }));
    const openOf = (length: number) => (_: string, names: readonly string[]) =>
      Promise.resolve(new Map(names.map((name) => [name, 'x'.repeat(length)])));
    const tooLarge = { code: 'PAYLOAD_TOO_LARGE' };
    await expect(secretsAt(openOf(1), 'env', places(101))).rejects.toMatchObject(tooLarge);
    await expect(secretsAt(openOf(8_193), 'env', places(4))).rejects.toMatchObject(tooLarge);
    expect((await secretsAt(openOf(8_192), 'env', places(4))).size).toBe(4);
  });
});

describe('a mask', () => {
  const secret = 'pa+ss "wörd"';
  const { text, value } = createMask([['KEY', secret]]);

  test.each([
    ['as it is', secret],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
  ])('finds a secret %s', (_, form) => {
    expect(text(`<${form}>${form}`)).toBe('<[secret KEY]>[secret KEY]');
  });

  test('masks array items, members and their names, and leaves everything else alone', () => {
    const other = { list: [1, null, true, { deep: 'x' }], big: 12345678901234567890n };
    expect(value(other)).toEqual(other);
    expect(value({ [secret]: [secret] })).toEqual({ '[secret KEY]': ['[secret KEY]'] });
    expect(value(new Map([['a', secret]]))).toEqual({ a: '[secret KEY]' });
  });

  test('masks a number that is a secret, the longer of two secrets first, and a short secret only in plain text', () => {
    const mask = createMask([
      ['PIN', '1234'],
      ['LONG', '12345'],
      ['S', 'q$'],
    ]);
    expect(mask.value([1234, 12345n, 12, 'q$', 'cSQ='])).toEqual([
      '[secret PIN]',
      '[secret LONG]',
      12,
      '[secret S]',
      'cSQ=',
    ]);
  });

  test('removes overlapping secrets completely and shows the name of the longest', () => {
    const mask = createMask([
      ['HEAD', 'abcdef'],
      ['TAIL', 'efgh'],
      ['INNER', 'bcdef'],
    ]);
    expect(mask.text('<abcdefgh> <xbcdefgh> <abcdefabcdef>')).toBe(
      '<[secret HEAD]> <x[secret INNER]> <[secret HEAD][secret HEAD]>',
    );
  });

  test('finds in one pass what separate searches for each secret find', () => {
    // Every text of up to three letters of two is a secret or is not, by the bits of `chosen`.
    const letters = ['a', 'b'];
    const texts = [...letters, ...letters.flatMap((one) => letters.map((two) => one + two)), 'aab', 'aba', 'bba'];
    const said = 'aababbabaabbbabaaab';
    for (let chosen = 1; chosen < 2 ** texts.length; chosen += 1) {
      const wanted = texts.filter((_, at) => Math.floor(chosen / 2 ** at) % 2 === 1);
      const isHidden = Array.from(said, (_, at) =>
        wanted.some((text) =>
          Array.from(text, (__, back) => at - back).some((from) => from >= 0 && said.startsWith(text, from)),
        ),
      );
      const found = Array.from(said, () => false);
      for (const { start, end } of createTextFinder(wanted)(said)) found.fill(true, start, end);
      expect(found).toEqual(isHidden);
    }
  });

  test('finds the path of a secret that is a URL, but not a short path', () => {
    const mask = createMask([
      ['HOOK', 'https://chat.example/api/webhooks/17/s3cret?thread=4'],
      ['SITE', 'https://example.com/api'],
    ]);
    expect(mask.text('no /api/webhooks/17/s3cret?thread=4&wait=true here')).toBe('no [secret HOOK]&wait=true here');
    expect(mask.text('POST /api/webhooks/17/s3cret')).toBe('POST [secret HOOK]');
    expect(mask.text('GET /api and https://example.com/api')).toBe('GET /api and [secret SITE]');
  });

  test('without secrets returns the text unchanged', () => {
    const said = { a: 1 };
    expect(createMask([]).value(said)).toBe(said);
    expect(createMask([]).text('a')).toBe('a');
  });
});
