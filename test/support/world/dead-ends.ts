import type { Page } from 'playwright-core';

/** A text, since tests know nothing of the types of a browser. */
const DEAD_ENDS = `[...document.querySelectorAll('main .empty')]
  .filter((empty) => empty.querySelector('a, button') === null)
  .map((empty) => 'no next step: ' + empty.textContent)`;

/** Empty lists of the page that is shown which lead nowhere. */
export async function deadEnds({ page }: { page: Page }): Promise<string[]> {
  // A search that finds nothing has said how to ask, and nobody publishes to the channel of the service.
  return /search\?|tab=tail/.test(page.url()) ? [] : page.evaluate<string[]>(DEAD_ENDS);
}
