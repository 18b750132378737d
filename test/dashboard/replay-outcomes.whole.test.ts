import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('replay outcomes in a browser', () => {
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

  // The button took all that was given up since the replay began, and said that some may not be of it.
  test('one button repeats exactly the deliveries of a replay that have failed again', async () => {
    const { page } = dashboard;
    const { posthorn } = scene;
    const publish = () => scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    receiver.answerWith([503]);
    await failAt(receiver.url, 'Ledger');
    const ids = [await publish(), await publish()];
    await untilFailed(2);
    // A cause that the replay did not ask for.
    receiver.answerWith([500]);
    const asked = { channelId, errorStatus: 503 };
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/dlq/replay', asked, scene.key);
    await waitFor('both are tried again', () => ids.every((id) => receiver.countOf(id) === 2));
    await untilFailed(2);
    // One of the same place that comes up later.
    const later = await publish();
    await untilFailed(3);
    receiver.answerWith([200]);

    // The list says what was replayed by its names, and a row leads to the page of the replay.
    await dashboard.open('/replays');
    const row = page.getByRole('grid').getByRole('row', { name: /Channel orders, Last answer 503.*2 of 2/ });
    await row.waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: body.id, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`/replays/${body.id}$`));
    await page.getByText('2 failed again').waitFor();
    await page.getByRole('button', { name: 'Repeat failures: 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Repeat failures: 2' });
    await dialog.getByText('2 deliveries match.').waitFor();
    await dialog.getByText('Exactly the deliveries that this replay').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Retry them' }).click();
    for (const id of ids) await waitFor('it arrives', () => receiver.countOf(id) === 3);
    await untilFailed(1);
    expect(receiver.countOf(later)).toBe(1);

    // Nothing is left of the replay.
    await panel().getByText('2 of 2').waitFor();
    await panel().getByText('2 delivered').waitFor();
    await panel().getByRole('button', { name: 'Open page' }).click();
    await page.waitForURL(/\/replays\/rty_\w+$/);
    await page.getByText('2 delivered').waitFor();
    await page.getByText(body.id).waitFor();
    await dashboard.open(`/replays/${body.id}`);
    await page.getByText('0 failed again').waitFor();
  });
});
