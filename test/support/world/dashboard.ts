import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Everything in WCAG 2.2 AA that a program can check. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Those of the rules whose result depends on a colour. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

export type Dashboard = {
  page: Page;
  context: BrowserContext;
  /** Errors of the pages and violations of their content security policy since it was opened. */
  faults: string[];
  /** Opens a page of the current app, such as `/messages`. */
  open(path: string, environment?: 'live' | 'test'): Promise<void>;
  /** Signs in through the page, and waits for the overview. */
  signIn(person: { email: string; password: string }): Promise<void>;
  /** Signs out through the user's menu. */
  signOut(): Promise<void>;
  /** Returns rules of WCAG 2.2 AA that the page breaks in the current theme, each with its first places. */
  violations(): Promise<string[]>;
  /** Returns the violations in both themes, which differ only in colours, by CSS rules alone. Leaves the light one. */
  violationsByTheme(): Promise<Record<'light' | 'dark', string[]>>;
};

/**
 * SLOW_ANSWERS_MS: delays each response of the API by a random time up to this, as on a busy machine. Finds tests and pages that rely
 * on the order of responses.
 */
async function delayAnswers(context: BrowserContext): Promise<void> {
  const most = Number(process.env['SLOW_ANSWERS_MS'] ?? 0);
  if (most === 0) return;
  await context.route('**/v1/**', async (route) => {
    await setTimeout(Math.random() * most);
    // A page that was left meanwhile does not wait.
    await route.continue().catch(() => undefined);
  });
}

/** Opens a browser at the dashboard of a service. The caller closes it. */
export async function openDashboard(
  { url }: { url: string },
  { theme = 'light', browser }: { theme?: 'light' | 'dark'; browser?: Browser } = {},
): Promise<Dashboard & { close: () => Promise<void> }> {
  const used = browser ?? (await launchBrowser());
  const context = await used.newContext({
    locale: 'en-GB',
    colorScheme: theme,
    viewport: { width: 1440, height: 900 },
    // A half-transparent text breaks the contrast rules while it fades in.
    reducedMotion: 'reduce',
  });
  // Loading a page takes a while on one of two processors; tests always name what they wait for.
  context.setDefaultTimeout(30_000);
  await delayAnswers(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // The browser logs a refusal of the API as a failed load, which several tests cause on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  let isAxeToStay = false;
  // Axe is half a megabyte: sending it costs as much as checking every rule. From the second check on the browser has it cached.
  const bringAxe = async (): Promise<void> => {
    if (isAxeToStay) await page.addInitScript(AXE);
    isAxeToStay = true;
    await page.evaluate(AXE);
  };
  const check = async (type: 'tag' | 'rule', values: readonly string[]): Promise<string[]> => {
    // From the top: what is scrolled half under the bar would count as too small.
    if (
      await page.evaluate<boolean>('document.getElementById("content")?.scrollTo(0, 0), globalThis.axe === undefined')
    )
      await bringAxe();
    return page.evaluate(
      async (runOnly): Promise<string[]> => {
        // `as`: what the script above has put there.
        const { axe } = globalThis as unknown as {
          axe: {
            run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
          };
        };
        // Only what is read below: describing everything that breaks no rule took a quarter of the time.
        const { violations } = await axe.run({ runOnly, resultTypes: ['violations'], selectors: false });
        return violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .slice(0, 3)
              .map(({ html }) => html.slice(0, 160))
              .join(' | ')}`,
        );
      },
      { type, values },
    );
  };
  return {
    page,
    context,
    faults,
    async open(path, environment = 'test') {
      const [, app] = /\/dashboard\/([^/]+)\/(?:live|test)\//.exec(page.url()) ?? [];
      if (app === undefined) throw new Error(`${page.url()} is no page of a place: sign in first`);
      await page.goto(`${url}/dashboard/${app}/${environment}${path}`);
    },
    async signIn({ email, password }) {
      await page.goto(`${url}/dashboard/sign-in`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    },
    async signOut() {
      await page.getByRole('button', { name: /^Account of / }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    },
    violations: () => check('tag', RULES),
    async violationsByTheme() {
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await check('rule', COLOUR_RULES);
      await page.emulateMedia({ colorScheme: 'light' });
      return { light: await check('tag', RULES), dark };
    },
    async close() {
      await context.close();
      if (browser === undefined) await used.close();
    },
  };
}
