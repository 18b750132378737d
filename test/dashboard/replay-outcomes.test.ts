import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';

let scene: DashboardScene;
let dashboard: Dashboard;
let receiver: Receiver;
let channelId: string;
onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });
beforeEach(async () => {
  channelId = await scene.make('/v1/channels', { name: 'orders' });
});

const panel = () => dashboard.page.getByRole('complementary', { name: 'Details' });
const rows = (text: RegExp) => dashboard.page.getByRole('grid').getByRole('row', { name: text });

async function failAt(url: string, name: string): Promise<void> {
  await scene.make('/v1/subscriptions', { channelId, webhookUrl: url, name, retryPolicy: { maxRetries: 0 } });
}

async function untilFailed(count: number): Promise<void> {
  await waitFor(`${count} failed deliveries`, async () => {
    const path = `/v1/deliveries?channelId=${channelId}&status=failed`;
    const { body } = await scene.posthorn.request<{ data: object[] }>('GET', path, undefined, scene.key);
    return body.data.length === count;
  });
}

async function retryAll(): Promise<void> {
  const { page } = dashboard;
  await page.getByRole('button', { name: 'Retry all that match' }).first().click();
  await page.getByText('2 deliveries match.').waitFor();
  await page.getByRole('button', { name: 'Retry them' }).click();
  await page.waitForURL(/\/replays\?/);
}

// The panel said "Completed" once all retries were asked for, although one of them failed again.
test('a retry of many says how many have arrived and how many failed again, and leads to each of them', async () => {
  const { page } = dashboard;
  const other = await scene.startReceiver();
  receiver.answerWith([503]);
  other.answerWith([503]);
  await failAt(receiver.url, 'Mended');
  await failAt(other.url, 'Broken');
  await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
  await untilFailed(2);
  receiver.answerWith([200]);

  await dashboard.open(`/deliveries?channel=${channelId}&status=failed`);
  await retryAll();
  await panel().getByText('1 delivered').waitFor();
  await panel().getByText('1 failed again').waitFor();
  await panel().locator('.sentence').getByText('Some failed').waitFor();
  expect(await panel().getByText('Completed').count()).toBe(0);
  expect(await dashboard.violations()).toEqual([]);
  await rows(/Some failed/)
    .first()
    .waitFor();

  await panel().getByRole('link', { name: '1 failed again' }).click();
  await page.waitForURL(/status=failed/);
  await page.getByRole('button', { name: /^Replay rty_.*: take the filter away$/ }).waitFor();
  await rows(/Broken/).waitFor();
  await rows(/Mended/).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Replay rty_/ }).click();
  await page.waitForURL((url) => !url.searchParams.has('replay'));
});

test('a retry whose deliveries are still being tried is not completed, and becomes so by itself', async () => {
  const { page } = dashboard;
  receiver.answerWith([503]);
  await failAt(receiver.url, 'First');
  await failAt(receiver.url, 'Second');
  await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
  await untilFailed(2);
  const open: (() => void)[] = [];
  let isMended = false;
  receiver.answerWith([
    (response) => {
      const answer = (): void => void response.writeHead(200).end();
      if (isMended) answer();
      else open.push(answer);
    },
  ]);
  await dashboard.open(`/deliveries?channel=${channelId}&status=failed`);
  await retryAll();
  await panel().getByText('2 under way').waitFor();
  await panel().locator('.sentence').getByText('Being tried').waitFor();
  await waitFor('both to be tried', () => open.length === 2);
  isMended = true;
  for (const answer of open) answer();
  await panel().locator('.sentence').getByText('Completed').waitFor();
  await panel().getByText('2 delivered').waitFor();
  await panel().getByRole('link', { name: 'See its deliveries' }).click();
  await page.waitForURL(/\/deliveries\?replay=rty_/);
  await rows(/First/).waitFor();
  await rows(/Second/).waitFor();
});
