import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { viewAnswer } from '../../src/insight/views/schema.ts';

const FOLDER = new URL('../src/pages/', import.meta.url);
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));

test('every list whose views the service stores shows them on its page', () => {
  const named = sources.flatMap((text) =>
    [...text.matchAll(/(?:<Views |views=\{\{\s*|views: \{ )page(?:="|: ')([a-z-]+)/g)].map(([, page = '']) => page),
  );
  // API keys and machine credentials share a page, one list shows replays of every kind, and approvals are cards with a
  // single filter. The service keeps views that were saved for them earlier.
  const others = ['api-keys', 'machine-credentials', 'message-replays', 'delivery-retries', 'approvals'];
  expect(new Set([...named, ...others])).toEqual(new Set<string>(viewAnswer.shape.page.options));
});
