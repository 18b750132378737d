import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Dashboard } from '../world/dashboard.ts';
import type { Receiver } from '../world/receiver.ts';
import { type DashboardScene, setDashboardScene } from './dashboard-scene.ts';

type Entered = { scene: DashboardScene; dashboard: Dashboard; receiver: Receiver };

/** Starts one service for the file, without a worker unless requested, and signs in a new user in a new browser for each test. */
export function onEachDashboard(use: (entered: Entered) => void, { withWorker = false } = {}): void {
  let scene: DashboardScene;
  beforeAll(async () => {
    scene = await setDashboardScene({ withWorker });
  });
  afterAll(() => scene.end());
  beforeEach(async () => use({ scene, ...(await scene.enter()) }));
  afterEach(() => scene.leave());
}
