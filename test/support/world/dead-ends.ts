import type { Page } from 'playwright-core';

/** A text, because tests do not have the types of a browser. */
const DEAD_ENDS = `[...document.querySelectorAll('main .empty')]
  .filter((empty) => empty.querySelector('a, button') === null)
  .map((empty) => 'no next step: ' + empty.textContent)`;

/** Returns empty lists of the current page that lead nowhere. */
export async function deadEnds({ page }: { page: Page }): Promise<string[]> {
  // An empty search result has said how to search, and users do not publish to the service's channel.
  return /search\?|tab=tail/.test(page.url()) ? [] : page.evaluate<string[]>(DEAD_ENDS);
}
