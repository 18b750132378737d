import { expect } from '@jest/globals';
import { findFreePort } from '../../../local/ports.ts';
import { launchBrowser } from '../world/chromium.ts';
import { type Dashboard, openDashboard } from '../world/dashboard.ts';
import { OWNER, setUpAnew } from './people.ts';
import { startPosthorn } from '../service/posthorn.ts';
import { createReceivers, type Receiver } from '../world/receiver.ts';

export type DashboardScene = Awaited<ReturnType<typeof setDashboardScene>>;

/** Starts a whole service, a browser, and a user who is signed in to the dashboard of the test environment. */
export async function setDashboardScene(options: { withWorker?: boolean } = {}) {
  // A passkey belongs to a host name.
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
    /** Creates a resource through the API of that environment, and returns its id. */
    async make(path: string, body: object): Promise<string> {
      const { status, body: made } = await posthorn.request<{ id: string }>('POST', path, body, key);
      if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(made)}`);
      return made.id;
    },
    /** Signs in a new user in a new browser, and starts a receiver. */
    async enter(): Promise<{ dashboard: Dashboard; receiver: Receiver }> {
      const receiver = await receivers.start();
      await setUpAnew(posthorn);
      opened = await openDashboard({ url }, { browser });
      await opened.signIn(OWNER);
      return { dashboard: opened, receiver };
    },
    /** Asserts that no page has failed and that the last one breaks no accessibility rule. */
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
