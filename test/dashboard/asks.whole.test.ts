import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('asks in a browser', () => {
  /** Actions that cannot be undone ask, in the live environment by typing a name. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const make = async (path: string, body: object): Promise<{ id: string }> => {
    const { status, body: made } = await scene.posthorn.request<{ id: string }>('POST', path, body);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(made)}`);
    return made;
  };
  const read = async (path: string): Promise<{ status: number; body: Record<string, unknown> }> =>
    scene.posthorn.request<Record<string, unknown>>('GET', path);

  /** Presses the button, leaves it, presses again, and cannot go on before the name is typed. */
  async function doAsked(button: string, name: string): Promise<void> {
    const { page } = dashboard;
    const dialog = page.getByRole('dialog');
    const go = dialog.getByRole('button', { name: button.split(' of ')[0] ?? '', exact: true });
    const open = page.getByRole('button', { name: button.replace(' of ', ' '), exact: true });
    await open.click();
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: /Leave it|^Cancel$|^Keep/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await open.click();
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await go.click();
  }

  /** The same by the menu of the page. */
  async function chooseAsked(item: string, button: string, name: string, keep = 'Cancel'): Promise<void> {
    const { page } = dashboard;
    const dialog = page.getByRole('dialog');
    const go = dialog.getByRole('button', { name: button, exact: true });
    const open = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await open();
    await go.waitFor();
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: keep, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await open();
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await go.click();
  }

  const DEFINITION = {
    name: 'Tell the CRM',
    trigger: { type: 'manual' },
    steps: [{ id: 'note', type: 'action', config: { action: 'log', text: 'Told' } }],
  };

  test('a run is cancelled and begun anew, and its workflow deleted', async () => {
    const workflow = await make('/v1/workflows', DEFINITION);
    await make(`/v1/workflows/${workflow.id}/activate`, {});
    const run = await make(`/v1/workflows/${workflow.id}/runs`, {});
    await dashboard.open(`/runs/${run.id}`, 'live');
    await chooseAsked('Cancel run…', 'Cancel run', 'Tell the CRM', 'Keep run');
    await waitFor(
      'the run is cancelled',
      async () => (await read(`/v1/runs/${run.id}`)).body['status'] === 'cancelled',
    );
    // One click did every step of it once more.
    await chooseAsked('Restart run…', 'Restart run', 'Tell the CRM');
    await waitFor('the run begins anew', async () => (await read(`/v1/runs/${run.id}`)).body['status'] !== 'cancelled');
    await dashboard.open(`/workflows/${workflow.id}`, 'live');
    const { page } = dashboard;
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete workflow…' }).click();
    const asked = page.getByRole('dialog', { name: /^Delete Tell the CRM\?/ });
    expect(await asked.getByRole('button', { name: 'Delete workflow' }).isDisabled()).toBe(true);
    await asked.getByLabel('Type Tell the CRM to confirm').fill('Tell the CRM');
    await asked.getByRole('button', { name: 'Delete workflow' }).click();
    await waitFor('the workflow is gone', async () => (await read(`/v1/workflows/${workflow.id}`)).status === 404);
  });

  test('a replay and a scheduled message are cancelled', async () => {
    const channel = await make('/v1/channels', { name: 'orders' });
    const replay = await make('/v1/dlq/replay', {});
    await dashboard.open(`/replays?open=${replay.id}`, 'live');
    await doAsked('Cancel replay', 'Test');
    const path = `/v1/dlq/replay/${replay.id}`;
    await waitFor('the replay is cancelled', async () => (await read(path)).body['status'] === 'cancelled');
    const later = { eventType: 'order.due', payload: {}, delay: 3_600_000 };
    const message = await make(`/v1/channels/${channel.id}/messages`, later);
    const { page } = dashboard;
    await dashboard.open(`/messages/${message.id}`, 'live');
    await page.getByRole('button', { name: 'Cancel message…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel this scheduled message/ });
    await dialog.getByLabel('Type order.due to confirm').fill('order.due');
    await dialog.getByRole('button', { name: 'Cancel message' }).click();
    await page.getByText('Cancelled before it was published.').waitFor();
  });

  test('requests are forgotten, and a key is revoked', async () => {
    const { page } = dashboard;
    const inspector = await make('/v1/inspectors', { name: 'Till' });
    await dashboard.open(`/inspect/${inspector.id}`, 'live');
    await chooseAsked('Clear requests…', 'Clear requests', 'Till');
    await page.getByText('Requests cleared').first().waitFor();
    const key = await make('/v1/api-keys', { name: 'Till key', scopes: ['channels:read'] });
    await dashboard.open(`/api-keys?open=${key.id}`, 'live');
    await chooseAsked('Revoke…', 'Revoke key', 'Till key');
    await page.getByRole('complementary').getByText('Revoked').waitFor();
  });

  test('an inbound webhook is disabled once its name is typed, and enabled at once', async () => {
    const { page } = dashboard;
    const channel = await make('/v1/channels', { name: 'shop' });
    const webhook = await make('/v1/webhooks', { name: 'Till hook', channelId: channel.id, provider: 'github' });
    await dashboard.open(`/inbound/${webhook.id}`, 'live');
    await chooseAsked('Disable…', 'Disable webhook', 'Till hook');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor({ state: 'detached' });
  });

  // A leaked click was enough for what changes most: many runs, a secret, a definition, messages of an hour.
  test('runs are cancelled, a version is taken back, a secret is rotated and messages are replayed once the name is typed', async () => {
    const { page } = dashboard;
    const steps = [{ id: 'rest', type: 'delay', config: { for: '1h' } }];
    const workflow = await make('/v1/workflows', { ...DEFINITION, name: 'Rest', steps });
    await make(`/v1/workflows/${workflow.id}/activate`, {});
    const run = await make(`/v1/workflows/${workflow.id}/runs`, {});
    await dashboard.open(`/runs?workflow=${workflow.id}`, 'live');
    await page.getByRole('button', { name: 'Cancel 1 run…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel 1 run\?/ });
    const newest = dialog.getByRole('list', { name: 'Newest' }).getByRole('listitem');
    await newest.waitFor();
    expect(await newest.allInnerTexts()).toEqual([expect.stringContaining(run.id.slice(-6))]);
    const go = dialog.getByRole('button', { name: 'Cancel 1 run', exact: true });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Rest to confirm').fill('Rest');
    await go.click();
    await waitFor(
      'the run is cancelled',
      async () => (await read(`/v1/runs/${run.id}`)).body['status'] === 'cancelled',
    );

    const path = `/v1/workflows/${workflow.id}`;
    expect((await scene.posthorn.request('PATCH', path, { steps: DEFINITION.steps })).status).toBe(200);
    await dashboard.open(`/workflows/${workflow.id}?tab=versions&version=1`, 'live');
    await page.getByRole('button', { name: 'Restore version 1…' }).click();
    const restoring = page.getByRole('dialog', { name: /^Restore version 1\?/ });
    expect(await restoring.getByRole('button', { name: 'Restore version' }).isDisabled()).toBe(true);
    await restoring.getByLabel('Type Rest to confirm').fill('Rest');
    await restoring.getByRole('button', { name: 'Restore version' }).click();
    await page.getByRole('row', { name: /^3 Current/ }).waitFor();

    const channel = await make('/v1/channels', { name: 'orders' });
    const target = { channelId: channel.id, name: 'Till', webhookUrl: 'https://example.com/hook' };
    const subscription = await make('/v1/subscriptions', target);
    await dashboard.open(`/subscriptions/${subscription.id}?tab=secret`, 'live');
    await page.getByRole('button', { name: 'Rotate…' }).click();
    const rotating = page.getByRole('dialog', { name: /^Rotate the signing secret/ });
    const rotate = rotating.getByRole('button', { name: 'Rotate secret' });
    expect(await rotate.isDisabled()).toBe(true);
    await rotating.getByLabel('Type Till to confirm').fill('Till');
    await rotate.click();
    await page
      .getByRole('group', { name: 'Secret' })
      .getByText(/^whsec_/)
      .waitFor();

    await dashboard.open(`/subscriptions/${subscription.id}`, 'live');
    await page.getByRole('button', { name: 'Replay…' }).click();
    const since = page.getByRole('dialog', { name: /^Replay to Till/ });
    const ask = since.getByRole('button', { name: /^Replay/ });
    expect(await ask.isDisabled()).toBe(true);
    await since.getByLabel('Type Till to confirm').fill('Till');
    await ask.click();
    await page.waitForURL(/\/replays\/rpm_/);
  });
});
