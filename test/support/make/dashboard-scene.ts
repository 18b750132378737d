import { expect } from '@jest/globals';
import { findFreePort } from '../../../local/ports.ts';
import { launchBrowser } from '../world/chromium.ts';
import { type Dashboard, openDashboard } from '../world/dashboard.ts';
import { OWNER, setUpAnew } from './people.ts';
import { startPosthorn } from '../service/posthorn.ts';
import { createReceivers, type Receiver } from '../world/receiver.ts';

export type DashboardScene = Awaited<ReturnType<typeof setDashboardScene>>;

/** A whole service, a browser, and a person who is signed in at the dashboard of the test environment. */
export async function setDashboardScene(options: { withWorker?: boolean } = {}) {
  // A passkey belongs to a host with a name.
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const posthorn = await startPosthorn({ ...options, port, variables: { PUBLIC_BASE_URL: url } });
  const browser = await launchBrowser();
  const receivers = createReceivers();
  const key = { key: posthorn.keys.test };
  let opened: (Dashboard & { close: () => Promise<void> }) | undefined;
  return {
    posthorn,
    /** Requests of the environment that the dashboard shows. */
    key,
    startReceiver: (): Promise<Receiver> => receivers.start(),
    /** Makes something by the API of that environment, and gives its id. */
    async make(path: string, body: object): Promise<string> {
      const { status, body: made } = await posthorn.request<{ id: string }>('POST', path, body, key);
      if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(made)}`);
      return made.id;
    },
    /** A new person at a new browser, and a receiver. */
    async enter(): Promise<{ dashboard: Dashboard; receiver: Receiver }> {
      const receiver = await receivers.start();
      await setUpAnew(posthorn);
      opened = await openDashboard({ url }, { browser });
      await opened.signIn(OWNER);
      return { dashboard: opened, receiver };
    },
    /** No page has broken, and the last one breaks no rule of accessibility. */
    async leave(): Promise<void> {
      const { violations, faults, close } = opened ?? {};
      const found = [...((await violations?.()) ?? []), ...(faults ?? [])];
      await close?.();
      expect(found).toEqual([]);
    },
    async end(): Promise<void> {
      await browser.close();
      await receivers.end();
      await posthorn.stop();
    },
  };
}
