import { type Browser, chromium } from 'playwright-core';
import { describeWith } from '../service/describe-with.ts';
import { browserPath, MISSING_BROWSER } from './found-browser.ts';

/** Tests in a real browser. */
export const describeWithBrowser = (title: string, tests: () => void): void =>
  describeWith(process.env[MISSING_BROWSER], title, tests);

/**
 * Starts a real headless Chromium, that of `browserPath`. `hosts` are names, with * for any part, that resolve to this machine. The
 * caller closes it.
 */
export async function launchBrowser({ hosts = [] }: { hosts?: readonly string[] } = {}): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(',');
  return chromium.launch({
    executablePath: await browserPath(),
    // Tests run as root in containers, where Chromium's own sandbox cannot start, and with a /dev/shm of 64 MB.
    args: [
      '--no-sandbox',
      '--disable-setuid-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--no-zygote',
      ...(rules === '' ? [] : [`--host-resolver-rules=${rules}`]),
    ],
  });
}
