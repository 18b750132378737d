import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('names in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  /** Three subscriptions of a channel, of which none is among the newest hundred. Returns their names by their ids. */
  async function makeOldSubscriptions(channelId: string): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    for (const name of ['old one', 'old two', 'old three'])
      names.set(
        await scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://hooks.example.com/in' }),
        name,
      );
    const [id] = [...names.keys()];
    // They want nothing: deliveries to the old ones alone are in view.
    await scene.posthorn.deps.pool.query(
      `INSERT INTO subscriptions SELECT (jsonb_populate_record(s,
       jsonb_build_object('id', posthorn_id('sub'), 'name', 'newer ' || n, 'event_types', jsonb_build_array('none')))).*
     FROM subscriptions s CROSS JOIN generate_series(1, 101) n WHERE s.id = $1`,
      [id],
    );
    return names;
  }

  test('a subscription that was made after the page was read has its name in new rows', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'of a late one' });
    const make = (name: string) =>
      scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://early.example.com/in' });
    const publish = () => scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    await make('early one');
    await publish();
    await dashboard.open(`/deliveries?channel=${channelId}`);
    const grid = page.getByRole('grid', { name: 'Deliveries' });
    await grid.getByText('early one').waitFor();
    await make('late one');
    await publish();
    await page.getByRole('button', { name: /^\d+ new/ }).click();
    await grid.getByText('late one').waitFor();
  });

  // A list showed the id of a thing that was not among the newest hundred.
  test('a list asks for all names that are not among the newest hundred in one request, and shows them', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'of old ones' });
    const names = await makeOldSubscriptions(channelId);
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    const asked: string[][] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/v1/subscriptions' && searchParams.has('ids'))
        asked.push(searchParams.get('ids')?.split(',') ?? []);
    });

    await dashboard.open(`/deliveries?channel=${channelId}`);
    const grid = page.getByRole('grid', { name: 'Deliveries' });
    for (const name of names.values()) await grid.getByText(name, { exact: true }).first().waitFor();

    const wanted = asked.flat();
    expect(new Set(wanted).size).toBe(wanted.length);
    expect(wanted).toEqual(expect.arrayContaining([...names.keys()]));
    // All rows came into view at once.
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['/channels', 'Channels', 'ERS%', 'orders%'],
    ['/subscriptions', 'Subscriptions', 'KS.EXAMPLE.NET', 'by host'],
    ['/inbound', 'Inbound webhooks', 'hub', 'GitHub of ours'],
  ])(
    'the list of %s is filtered by a part of a name, which stands in the address',
    async (path, heading, part, name) => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders%' });
      await scene.make('/v1/channels', { name: 'payers' });
      for (const [called, host] of [
        ['by host', 'hooks.example.net'],
        ['other', 'example.org'],
      ])
        await scene.make('/v1/subscriptions', { channelId, name: called, webhookUrl: `https://${host}/in` });
      for (const called of ['tell them', 'ask them'])
        await scene.make('/v1/workflows', { name: called, trigger: { type: 'manual' } });
      for (const called of ['GitHub of ours', 'other'])
        await scene.make('/v1/webhooks', { channelId, name: called, provider: 'github' });
      await dashboard.open(path);
      const grid = page.getByRole('grid', { name: heading });
      await grid.getByText(name, { exact: true }).first().waitFor();
      const field = page.getByRole('combobox', { name: 'Filter' });
      const write = async (text: string): Promise<void> => {
        if (new URL(page.url()).searchParams.has('name')) await field.press('Backspace');
        await field.fill(`name:"${text}"`);
        await page.keyboard.press('Escape');
        await field.press('Enter');
      };

      await write(part);

      await page.waitForURL((url) => url.searchParams.get('name') === part);
      await waitFor('only rows of that name', async () => {
        const shown = await grid.getByRole('row').allInnerTexts();
        return shown.length > 1 && shown.slice(1).every((text) => text.includes(name));
      });
      await page.reload();
      await grid.getByText(name, { exact: true }).first().waitFor();
      await page
        .getByRole('button', { name: new RegExp(`^Remove filter: Name(?: or host)? is ${part}$`, 'i') })
        .waitFor();
      expect(await dashboard.violations()).toEqual([]);

      await write('no such thing');
      await page.getByRole('button', { name: 'Clear filters' }).last().click();
      await page.waitForURL((url) => !url.searchParams.has('name'));
      await grid.getByText(name, { exact: true }).first().waitFor();
    },
  );
});
