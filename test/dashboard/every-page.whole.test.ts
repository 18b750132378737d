import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { bodyOf, signatureOf } from '../../dashboard/src/lib/signature.ts';
import { seedPages } from '../support/make/dashboard-pages.ts';
import { joinAs, OWNER, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { deadEnds } from '../support/world/dead-ends.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';
import { UNREADABLE } from '../support/world/readable.ts';

describeWithBrowser('every page in a browser', () => {
  /** Every page with one of everything on it, whose texts are hostile wherever somebody may choose them. */
  const HOSTILE = '<img/src=x/onerror=alert(1)>';
  /** A minute on a quiet machine. */
  const PATIENCE = 600_000;
  /** CSS pixels: a window of 1,280 with its text at 200 % (WCAG 2.2, 1.4.4). */
  const AT_200_PERCENT = 640;
  /** CSS pixels: the narrowest with a menu beside the page, and those of a window of 1,280 at 200 % and at 400 % (WCAG 2.2, 1.4.10). */
  const WIDTHS = [1024, AT_200_PERCENT, 320];

  type Opened = Dashboard & { close: () => Promise<void> };
  let posthorn: TestPosthorn;
  let browser: Browser;
  let pages: string[];
  let links: string[];
  let doctor: string;
  let viewer: { email: string; password: string };

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    const { owner, organisation } = await setUpAnew(posthorn);
    ({ pages, links, doctor } = await seedPages(posthorn, { browser: owner.browser, organisation, mark: HOSTILE }));
    const email = 'viewer@example.com';
    viewer = {
      email,
      password: (await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email })).password,
    };
    browser = await launchBrowser();
  }, PATIENCE);
  afterAll(async () => {
    await browser.close();
    await posthorn.stop();
  });

  async function enter(person: { email: string; password: string }): Promise<{ dashboard: Opened; app: string }> {
    const dashboard = await openDashboard(posthorn, { browser });
    await dashboard.page.emulateMedia({ reducedMotion: 'reduce' });
    await dashboard.signIn(person);
    const app = new URL(dashboard.page.url()).pathname.replace(/\/(live|test)\/overview$/, '');
    return { dashboard, app };
  }

  /** Opens a page, and waits until it shows what it has. */
  async function load({ page }: Opened, path: string): Promise<void> {
    await page.goto(posthorn.url + path);
    await page.locator('h1, [role=alert]').first().waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  }

  /** The rules of accessibility that a page breaks in either theme. */
  async function brokenRules({ violationsByTheme }: Opened): Promise<string[]> {
    const { light, dark } = await violationsByTheme();
    return [...dark.map((each) => `dark: ${each}`), ...light];
  }

  /** CSS pixels: a telephone. */
  const TELEPHONE = 390;
  /** The catalogue's own words that show only in part. Texts that somebody wrote are left out: lists shorten them. */
  const CUT = `[...document.querySelectorAll('[role=tablist], [role=tab], [role=columnheader], main th, main dt, main h2, main h3, main legend, main label, main summary, main button')]
  .filter((element) => {
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
    const isHidden = clientWidth <= 1 || clientHeight <= 1 || element.closest('.sr-only') !== null || element.textContent === '';
    return !isHidden && (scrollWidth > clientWidth + 1 || (getComputedStyle(element).overflowY !== 'visible' && scrollHeight > clientHeight + 1));
  })
  .map((element) => (element.getAttribute('role') ?? element.localName) + ': ' + element.textContent.slice(0, 60))`;

  /** Says which element makes a page wider than its window. A text, since tests know nothing of the types of a browser. */
  const WIDEST = `(() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return null;
  const wide = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > root.clientWidth + 1,
  );
  return root.scrollWidth + ' px wide: ' + (wide.at(-1)?.outerHTML.slice(0, 160) ?? '');
})()`;

  /** Has the signature doctor find the faults of a request that was changed on its way: no address shows them. */
  async function examine(dashboard: Opened, path: string): Promise<void> {
    const { page } = dashboard;
    const { message: id = '', subscription } = Object.fromEntries(new URLSearchParams(path.replace(/.*\?/, '')));
    const headers = { authorization: `Bearer ${posthorn.keys.live}` };
    const text = await (await fetch(`${posthorn.url}/v1/messages/${id}`, { headers })).text();
    const secretPath = `/v1/subscriptions/${subscription}/secret`;
    const { secret } = (await posthorn.request<{ secret: string }>('GET', secretPath)).body;
    const timestamp = '1700000000';
    const signature = await signatureOf(secret, { id, timestamp, body: bodyOf(text) });
    await load(dashboard, path);
    const lines = [`webhook-id: ${id}`, `webhook-timestamp: ${timestamp}`, `webhook-signature: ${signature}`];
    await page.getByRole('textbox', { name: 'Headers' }).fill(lines.join('\n'));
    await page.getByRole('textbox', { name: 'Body' }).fill(HOSTILE);
    await page.getByLabel("Your endpoint's secret").fill(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    await page.getByLabel(/^Your endpoint's clock/).fill('2026-01-31T12:00:00');
    for (const finding of ['Clock skew.', 'Different secret.', 'Body was modified.'])
      await page.getByText(finding).waitFor();
  }

  /** Texts that were taken for a part of the page, and elements that make it too wide. */
  async function odd({ page }: Opened): Promise<string[]> {
    const found: string[] = [];
    if ((await page.locator('img[src="x"], main script').count()) > 0) found.push('a text was taken for HTML');
    const size = page.viewportSize();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 640 });
      // A panel becomes a drawer some frames after the window is narrow.
      await page.waitForFunction(`${WIDEST} === null`, undefined, { timeout: 2_000 }).catch(() => undefined);
      const widest = await page.evaluate<string | null>(WIDEST);
      if (widest !== null) found.push(`at ${width} px: ${widest}`);
      if (width === AT_200_PERCENT) found.push(...(await page.evaluate<string[]>(UNREADABLE)));
    }
    if (size !== null) await page.setViewportSize(size);
    return found;
  }

  test(
    'a page with one of everything breaks no rule of accessibility, shows hostile texts as texts, and fits into 1,024 and 320 px and at 200 %',
    async () => {
      const { dashboard, app } = await enter(OWNER);
      const dialogs: string[] = [];
      dashboard.page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      const found: Record<string, string[]> = {};
      // First the doctor: it shows a secret, for which the session must be new.
      for (const path of [doctor, ...pages].map((page) => `${app}/live/${page}`).concat(links)) {
        await (path.endsWith(doctor) ? examine : load)(dashboard, path);
        const faults = [
          ...(await brokenRules(dashboard)),
          ...(await odd(dashboard)),
          ...(await deadEnds(dashboard)),
          ...dashboard.faults.splice(0),
          ...dialogs.splice(0),
        ];
        if (faults.length > 0) found[path.replace(app, '')] = faults;
      }
      await dashboard.close();
      expect(found).toEqual({});
    },
    PATIENCE,
  );

  test(
    'no name of a tab, a column, a field or a button is cut on a telephone or at 1,024 px',
    async () => {
      const { dashboard, app } = await enter(OWNER);
      const { page } = dashboard;
      for (const [name, value] of [
        ['fold.fields', 'open'],
        ['fold.charts', 'open'],
      ])
        await page.addInitScript(`localStorage.setItem('posthorn.${name}', '${value}')`);
      const found: Record<string, string[]> = {};
      for (const path of pages) {
        await page.setViewportSize({ width: TELEPHONE, height: 844 });
        await load(dashboard, `${app}/live/${path}`);
        const cut = await page.evaluate<string[]>(CUT);
        await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 844 });
        cut.push(...(await page.evaluate<string[]>(CUT)));
        if (cut.length > 0) found[path] = cut;
      }
      await dashboard.close();
      expect(found).toEqual({});
    },
    PATIENCE,
  );

  test(
    'a page whose data cannot be read says so, offers to try again, and breaks no rule of accessibility',
    async () => {
      const { dashboard, app } = await enter(OWNER);
      const { page } = dashboard;
      const error = { code: 'INTERNAL', message: 'The request could not be served.', requestId: 'req_1' };
      const headers = { 'content-type': 'application/json', 'x-request-id': error.requestId };
      await page.route(/\/v1\/(?!session\b)/, (route) =>
        route.fulfill({ status: 500, headers, body: JSON.stringify({ error }) }),
      );
      const found: Record<string, string[]> = {};
      // One address of each page: its tabs are not there while it cannot be read.
      const paths = new Map(pages.map((each) => [each.replace(/\?.*/, ''), each]));
      for (const path of paths.values()) {
        await load(dashboard, `${app}/live/${path}`);
        const alert = page.locator('[role=alert]').filter({ hasText: error.message }).first();
        const isTold = await alert.waitFor().then(
          () => true,
          () => false,
        );
        const faults = [...(await brokenRules(dashboard)), ...(await odd(dashboard)), ...dashboard.faults.splice(0)];
        if (!isTold) faults.push('says nothing');
        if (faults.length > 0) found[path] = faults;
      }
      await dashboard.close();
      expect(found).toEqual({});
    },
    PATIENCE,
  );

  /** Buttons and links that read, or change nothing but what this browser shows. All others are ways to write; tabs are none. */
  const READS_BY_NAME =
    /^(?:Copy |Change filter: |Remove filter: |Time range: |View: |Time zone: |Show |Sort |Fold |Unfold |Channel: |Chart: |Status: |Attempt \d|(?:Failed|Retrying|Pending|Delivered|Completed|In progress|Unfinished)[\d,]+$|\d+ unchanged lines$|Open |View |Select row )/;
  const READS = new Set([
    'All event types',
    'Answer',
    'By cause',
    'Check signature',
    'Close',
    'Close Esc',
    'Columns',
    'Compare',
    'Compare 1',
    'Copy',
    'Dead letters',
    'Deliveries',
    'Disabled',
    'Download',
    'Earlier attempt',
    'Export',
    'Export Test',
    'Export connectors',
    'Expand',
    'Failed',
    'Failures only',
    'Fit',
    'Held',
    'Later attempt',
    'List',
    'Messages',
    'Next row',
    'Open page',
    'Paused',
    'Previous row',
    'Runs by when they ended. One that fails again after a retry counts again.',
    'Search',
    'Show as a table',
    'Slow (> 5 s)',
    'Auto-refresh on. Pause',
    'Stopped',
    'To the run',
    'Waiting',
    'Zoom in',
    'Zoom out',
  ]);
  /** What opens and closes a part of the page, and what is chosen of several: neither writes. */
  const SHOWS = '[role=tab], [aria-pressed], [aria-expanded]:not([aria-haspopup])';
  /** Pages that everybody may change: their own. */
  const OWN_PAGES = ['account'];

  test(
    'a viewer finds no way to write and no secret on any page',
    async () => {
      const { dashboard, app } = await enter(viewer);
      const { page } = dashboard;
      const found: Record<string, string[]> = {};
      for (const path of pages.filter((each) => !OWN_PAGES.includes(each))) {
        await load(dashboard, `${app}/live/${path}`);
        const names = await page
          .locator(
            `:is(main, header) :is(button:enabled:not(${SHOWS}, [aria-disabled=true]), a.button, a.rounded-6.border)`,
          )
          .evaluateAll((buttons) =>
            buttons.map((button) => (button.getAttribute('aria-label') ?? button.textContent).trim()),
          );
        const menu = page.getByRole('button', { name: 'More actions' });
        for (let at = 0; at < (await menu.count()); at += 1) {
          await menu.nth(at).click();
          names.push(...(await page.getByRole('menuitem').allInnerTexts()));
          await page.keyboard.press('Escape');
          await page.getByRole('menu').waitFor({ state: 'detached' });
        }
        const writes = names
          .filter((name) => name !== 'More actions')
          .filter((name) => !READS.has(name) && !READS_BY_NAME.test(name));
        const faults = [...new Set(writes), ...dashboard.faults.splice(0)];
        // Secrets of the service begin so; those of receivers and senders stand in no fixture but these.
        const shown = await page.locator('main').innerText();
        if (/whsec_|svc_live_\w{20}|xoxb-1|a token/.test(shown)) faults.push('shows a secret');
        if (faults.length > 0) found[path] = faults;
      }
      await dashboard.close();
      expect(found).toEqual({});
    },
    PATIENCE,
  );

  test('a text that is cut off, and one that stands over another, are found', async () => {
    const page = await browser.newPage();
    const long = 'A sentence that is longer than its box';
    await page.setContent(`<main>
    <p style="width: 90px; overflow: hidden; white-space: nowrap">${long}</p>
    <p style="height: 12px; width: 90px; overflow: hidden">Two lines of a text</p>
    <p style="width: 90px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis">Dots alone, and no title</p>
    <p style="width: 90px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis" title="${long}">${long}</p>
    <details><summary>More</summary><p>Folded away</p></details>
    <h2 style="margin: 0 0 -14px; font: 13px/20px sans-serif">Above</h2><p style="margin: 0; font: 13px/20px sans-serif">Below</p>
  </main>`);
    const found = await page.evaluate<string[]>(UNREADABLE);
    await page.close();
    expect(found).toEqual([
      `cut: p.: ${long}`,
      'cut: p.: Two lines of a text',
      'cut: p.: Dots alone, and no title',
      'over each other: h2.: Above | p.: Below',
    ]);
  });
});
