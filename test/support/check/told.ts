import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from './wait-for.ts';

const FOLDER = new URL('../../dashboard/aria/', import.meta.url);
const REMEDY =
  'RECORD_ARIA=true npm test -- test/dashboard/aria.whole.test.ts, and look at what has changed in test/dashboard/aria';
/** RECORD_ARIA=true overwrites the recorded snapshots. */
const isToBeKept = process.env['RECORD_ARIA'] === 'true';

const WITHIN_MS = 15_000;

/** Parts that differ from run to run: ids, times, ages in lists, and the service's port. */
const PATTERNS: readonly [RegExp, string][] = [
  [/\b([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, '$1_…'],
  [/\b\d{1,2}:\d\d:\d\d(\.\d{3})?/g, 'TIME'],
  [/(UTC |gridcell ")\d+ (?:s|min)(?: \d+ s)?(?= |")/g, '$1AGE'],
  [/…[0-9a-z]{6}\b/g, '…'],
  [/\b(?:just now|\d+ (?:s|min) ago)\b/g, 'AGO'],
  [/localhost:\d+/g, 'localhost'],
];

/** Compares the accessibility tree of a part of a page with the recorded file, which a person has reviewed. */
export async function expectTold(name: string, part: Locator): Promise<void> {
  const look = async (): Promise<string> =>
    PATTERNS.reduce((text, [from, to]) => text.replace(from, to), `${await part.ariaSnapshot()}\n`);
  const file = new URL(`${name}.yml`, FOLDER);
  if (isToBeKept) writeFileSync(file, await look());
  const kept = readFileSync(file, 'utf8');
  let told = await look();
  // The last responses of a page may still be on their way.
  await waitFor('the page to be as it was', async () => (told = await look()) === kept, WITHIN_MS).catch(
    () => undefined,
  );
  expect({ remedy: REMEDY, told }).toEqual({ remedy: REMEDY, told: kept });
}
