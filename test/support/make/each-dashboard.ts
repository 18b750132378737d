import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Dashboard } from '../world/dashboard.ts';
import { type DashboardScene, setDashboardScene } from './dashboard-scene.ts';

/** One service without a worker for the file, and a new person who is signed in at a new browser for each of its tests. */
export function onEachDashboard(use: (entered: { scene: DashboardScene; dashboard: Dashboard }) => void): void {
  let scene: DashboardScene;
  beforeAll(async () => {
    scene = await setDashboardScene({ withWorker: false });
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    const { dashboard } = await scene.enter();
    use({ scene, dashboard });
  });
  afterEach(() => scene.leave());
}
