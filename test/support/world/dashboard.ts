import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Everything that WCAG 2.2 AA asks for and a program can check. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules among them whose verdict depends on a colour. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

export type Dashboard = {
  page: Page;
  context: BrowserContext;
  /** Errors of the pages and refusals of their content security policy, since it was opened. */
  faults: string[];
  /** Opens a page of the app that is shown, such as `/messages`. */
  open(path: string, environment?: 'live' | 'test'): Promise<void>;
  /** Signs in by the page, and waits for the overview. */
  signIn(person: { email: string; password: string }): Promise<void>;
  /** Signs out by the menu of the person. */
  signOut(): Promise<void>;
  /** Rules of WCAG 2.2 AA that the page breaks in the theme that is shown, each with its first places. */
  violations(): Promise<string[]>;
  /** The same in either theme, between which nothing but colours differs, by rules of CSS alone. Leaves the light one. */
  violationsByTheme(): Promise<Record<'light' | 'dark', string[]>>;
};

/**
 * SLOW_ANSWERS_MS: each answer of the API comes later by a time up to this, in an order of chance, as on a machine that has other work.
 * Finds tests and pages that count on one answer before another.
 */
async function delayAnswers(context: BrowserContext): Promise<void> {
  const most = Number(process.env['SLOW_ANSWERS_MS'] ?? 0);
  if (most === 0) return;
  await context.route('**/v1/**', async (route) => {
    await setTimeout(Math.random() * most);
    // A page that is left meanwhile waits for nothing.
    await route.continue().catch(() => undefined);
  });
}

/** A browser at the dashboard of a service. The caller closes it. */
export async function openDashboard(
  { url }: { url: string },
  { theme = 'light', browser }: { theme?: 'light' | 'dark'; browser?: Browser } = {},
): Promise<Dashboard & { close: () => Promise<void> }> {
  const used = browser ?? (await launchBrowser());
  const context = await used.newContext({
    locale: 'en-GB',
    colorScheme: theme,
    viewport: { width: 1440, height: 900 },
    // A text that is half there breaks the rules of contrast, for as long as it appears.
    reducedMotion: 'reduce',
  });
  // A page that is loaded on one processor of two takes its time; what is waited for is always named.
  context.setDefaultTimeout(30_000);
  await delayAnswers(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // A refusal of the API is told as a failed load: those are what several tests ask for.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  let isAxeToStay = false;
  // Axe is half a megabyte: to send it costs as much as to look for every rule. From the second look on the browser keeps it.
  const bringAxe = async (): Promise<void> => {
    if (isAxeToStay) await page.addInitScript(AXE);
    isAxeToStay = true;
    await page.evaluate(AXE);
  };
  const check = async (type: 'tag' | 'rule', values: readonly string[]): Promise<string[]> => {
    // From its top: what is scrolled half under the bar counts as too small otherwise.
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
        // Only what is read below: a description of everything that breaks no rule took a quarter of the time.
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
