import { expect, test } from '@jest/globals';
import { deprecationHeaders } from './deprecation.ts';

test('Deprecation is a structured date, Sunset an HTTP date, and Link has the right relations', () => {
  expect(
    deprecationHeaders({
      since: '2027-01-01',
      endsAt: '2027-09-01',
      successor: '/v2/channels',
      information: 'https://posthorn.example/moving-to-v2',
    }),
  ).toEqual({
    Deprecation: '@1798761600',
    Sunset: 'Wed, 01 Sep 2027 00:00:00 GMT',
    Link: '</v2/channels>; rel="successor-version", <https://posthorn.example/moving-to-v2>; rel="deprecation"; type="text/html"',
  });
});

test('a deprecation without a decided end has neither Sunset nor Link', () => {
  expect(deprecationHeaders({ since: '2027-01-01' })).toEqual({ Deprecation: '@1798761600' });
});

test('rejects an end less than 180 days after the deprecation, and a day that does not exist', () => {
  expect(deprecationHeaders({ since: '2027-01-01', endsAt: '2027-06-30' })).toHaveProperty('Sunset');
  expect(() => deprecationHeaders({ since: '2027-01-01', endsAt: '2027-06-29' })).toThrow('at least 180 days');
  for (const since of ['2027-02-30', '1.1.2027', ''])
    expect(() => deprecationHeaders({ since })).toThrow('is not a day');
});
