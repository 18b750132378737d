import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { storeDay } from '../support/make/stored-day.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

describeWithBrowser('messages in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const publish = (channelId: string, body: object): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {}, ...body });
  const rowOf = (id: string): Locator =>
    dashboard.page.getByRole('row').filter({ has: dashboard.page.getByRole('button', { name: `(${id})` }) });
  const drawer = (): Locator => dashboard.page.getByRole('dialog', { name: /^Publish message/ });
  /** Writes in place of what an editor of code has. */
  const write = async (editor: Locator, text: string): Promise<void> => {
    await editor.click();
    await dashboard.page.keyboard.press('Control+a');
    await dashboard.page.keyboard.insertText(text);
  };
  const editor = (name: string): Locator => drawer().getByRole('textbox', { name, exact: true });

  describe('one message', () => {
    test('shows to how many it was delivered, its size, and the last response and the next attempt of each', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      for (const name of ['Till', 'Ledger'])
        await scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://example.com/hook' });
      const id = await publish(channelId, { payload: { n: 1 } });
      const { pool } = scene.posthorn.deps;
      const set = (name: string, values: string): Promise<unknown> =>
        pool.query(
          `UPDATE deliveries SET attempts = 1, response_latency_ms = 80, last_attempt_at = now(), ${values}
           WHERE message_id = $1 AND subscription_id = (SELECT id FROM subscriptions WHERE channel_id = $2 AND name = $3)`,
          [id, channelId, name],
        );
      await set('Till', "status = 'delivered', response_status = 200");
      await set('Ledger', "status = 'retrying', response_status = 503, next_retry_at = now() + interval '90 minutes'");
      const asked = page.waitForRequest((request) => request.url().includes('/v1/deliveries?'));
      await dashboard.open(`/messages/${id}`);
      // Bodies of responses were loaded every three seconds, and shown nowhere.
      expect(new URL((await asked).url()).searchParams.get('responseBodies')).toBe('false');
      await page.getByRole('heading', { name: 'order.created 1 of 2 delivered', level: 1 }).waitFor();
      await page.getByText('7 B', { exact: true }).first().waitFor();
      expect(await page.title()).toMatch(/^\[Test\] order\.created · /);
      const row = (name: string): Locator => page.getByRole('row', { name: new RegExp(name) });
      await row('Till').getByText('80 ms').waitFor();
      await row('Ledger').getByText('503').waitFor();
      await row('Ledger').getByText('in 1 h').waitFor();
      expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
      await row('Ledger').getByRole('link').click();
      await page.getByRole('heading', { name: 'order.created to Ledger', level: 1 }).waitFor();
    });

    test('without a matching subscription is one link away from one, and shows who did not get it and why', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, { payload: { total: 12 } });
      await scene.make('/v1/subscriptions', {
        channelId,
        name: 'Large orders',
        webhookUrl: 'https://example.com/hook',
        filter: 'payload.total > 100',
      });
      await dashboard.open(`/messages/${id}`);
      await page.getByText('No matching subscription.').waitFor();
      const missed = page.getByRole('list', { name: 'Not delivered to' }).getByRole('listitem');
      await missed.filter({ hasText: 'Large orders' }).getByText("Filter doesn't match").waitFor();
      expect(await dashboard.violations()).toEqual([]);
      await page.getByRole('link', { name: 'Create subscription' }).click();
      await page.waitForURL(
        (url) =>
          url.pathname.endsWith('/subscriptions/new') &&
          url.searchParams.get('channel') === channelId &&
          url.searchParams.get('type') === 'order.created',
      );
    });

    test('shows the trace in which it was published, on one line, beside a button that copies its ID', async () => {
      const { page } = dashboard;
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const path = `/v1/channels/${channelId}/messages`;
      const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
      const message = { eventType: 'order.created', payload: { total: 12 } };
      const { body } = await scene.posthorn.request<{ id: string }>('POST', path, message, { ...scene.key, headers });
      await dashboard.open(`/messages/${body.id}`);
      const shown = page.getByText(traceId, { exact: true });
      await shown.waitFor();
      expect(await page.getByRole('button', { name: 'Copy trace ID' }).count()).toBe(1);
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await shown.evaluate((each) => each.getClientRects().length)).toBe(1);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
      const bare = await scene.make(path, message);
      await dashboard.open(`/messages/${bare}`);
      await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
      expect(await page.getByRole('button', { name: 'Copy trace ID' }).count()).toBe(0);
    });

    test('is erased once that was asked, and keeps no payload', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, { payload: { who: 'Jonas Weber' } });
      await dashboard.open(`/messages/${id}`);
      await page.getByText('Jonas Weber').waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Erase payload…' }).click();
      const dialog = page.getByRole('dialog', { name: /Erase this payload\?/ });
      await dialog.getByText('Permanently deletes the payload and metadata.').waitFor();
      await dialog.getByRole('button', { name: 'Equivalent request' }).click();
      await dialog.getByText(`/v1/messages/${id}`).first().waitFor();
      await dialog.getByRole('button', { name: 'Erase payload' }).click();
      await page.getByText('Payload erased.', { exact: true }).waitFor();
      expect(await page.getByText('Jonas Weber').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Send to subscription…' }).count()).toBe(0);
      const { body } = await scene.posthorn.request<object>('GET', `/v1/messages/${id}`, undefined, scene.key);
      expect(body).not.toHaveProperty('payload');
    });
  });

  describe('the form', () => {
    test('publishes a changed copy with its metadata, and is not sent with JSON that is none', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, { payload: { total: 12 }, metadata: { region: 'eu' } });
      await dashboard.open(`/messages/${id}`);
      await page.getByRole('link', { name: 'Edit and publish again' }).click();
      await editor('Metadata').filter({ hasText: '{"region":"eu"}' }).waitFor();
      await write(editor('Metadata'), '{"region": ');
      const go = drawer().getByRole('button', { name: 'Publish message' });
      await go.click();
      await drawer()
        .getByText(/^Invalid JSON/)
        .waitFor();
      await write(editor('Metadata'), '{"region": "us"}');
      await go.click();
      await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
      await page.getByText('us', { exact: true }).waitFor();
      expect(page.url()).not.toContain(id);
    });

    test('says who will receive the message as it is written, and what the schema of its type has against it', async () => {
      const { page } = dashboard;
      const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
      const channelId = await scene.make('/v1/channels', { name: 'orders', schemas: { 'order.paid': schema } });
      const make = (name: string, more: object): Promise<string> =>
        scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://example.com/hook', ...more });
      await make('Large orders', { filter: 'payload.total > 100' });
      await make('Refunds', { eventTypes: ['refund.*'] });
      const workflowId = await scene.make('/v1/workflows', {
        name: 'Big orders',
        trigger: { type: 'event', config: { channelId, eventTypes: ['order.*'], filter: 'payload.total > 500' } },
        steps: [{ id: 'note', type: 'action', config: { action: 'log', text: 'big' } }],
      });
      await scene.posthorn.request('POST', `/v1/workflows/${workflowId}/activate`, undefined, scene.key);
      await dashboard.open(`/messages/new?channel=${channelId}`);
      await drawer().getByRole('combobox', { name: 'Event type' }).fill('order.paid');
      const recipients = drawer().getByRole('list', { name: 'Recipients' }).getByRole('listitem');
      await write(editor('Payload'), '{\n  "total": 561.90\n}');
      await drawer().getByText('1 of 2 subscriptions will receive it').waitFor();
      await recipients.filter({ hasText: 'Large orders' }).getByText('Filter matches').waitFor();
      await recipients.filter({ hasText: 'Refunds' }).getByText('Not subscribed to this event type').waitFor();
      const started = drawer().getByRole('list', { name: 'Workflows' }).getByRole('listitem');
      await started.filter({ hasText: 'Big orders' }).getByText('Starts if its filter matches').waitFor();
      await drawer().getByRole('group', { name: 'Schema', exact: true }).getByText('"required"').waitFor();
      await write(editor('Payload'), '{\n  "total": "much"\n}');
      await drawer().getByRole('button', { name: 'Line 2' }).waitFor();
      await drawer().getByText('0 of 2 subscriptions will receive it').waitFor();
      expect(await dashboard.violations()).toEqual([]);
      await write(editor('Payload'), '{');
      await drawer().getByText('Fix the JSON to see who will receive it').waitFor();
      // Chromium kept the style of a problem for what was typed over it, and the content security policy refused that.
      await write(editor('Payload'), '{\n  "total": 1,\n');
      await drawer().getByText('Fix the JSON to see who will receive it').waitFor();
      for (const text of ['"', 'a', '{']) {
        await page.keyboard.press('Control+a');
        await page.keyboard.type(text);
      }
      expect(dashboard.faults).toEqual([]);
      await drawer().getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Discard' }).click();
      await drawer().waitFor({ state: 'detached' });
      await page.waitForURL((url) => url.pathname.endsWith('/messages'));
    });

    test('publishes for a time, under an ID of its publisher', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      await dashboard.open(`/messages/new?channel=${channelId}`);
      await drawer().getByRole('combobox', { name: 'Event type' }).fill('order.due');
      await drawer().getByRole('button', { name: 'Options' }).click();
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      await drawer()
        .getByLabel(/^Scheduled for/)
        .fill(tomorrow.slice(0, 16));
      await drawer().getByLabel('External ID').fill('till-8');
      await drawer().getByRole('button', { name: 'Equivalent request' }).click();
      const lines = page.getByRole('dialog', { name: 'Equivalent request' });
      await lines.getByText('"id":"till-8"').waitFor();
      await lines.getByRole('button', { name: 'Close' }).click();
      await drawer().getByRole('button', { name: 'Publish message' }).click();
      await page.getByRole('heading', { name: 'order.due Scheduled', level: 1 }).waitFor();
      const { body } = await scene.posthorn.request('GET', `/v1/channels/${channelId}/scheduled`, undefined, scene.key);
      const deliverAt = `${tomorrow.slice(0, 16)}:00.000Z`;
      expect(body).toMatchObject({ data: [{ channelId, eventType: 'order.due', deliverAt }] });
      // Under the same id the same message, its payload as the form has it, is answered, and none is stored.
      const again = `{"id":"till-8","eventType":"order.due","payload":{\n  "number": 1\n},"deliverAt":"${deliverAt}"}`;
      const second = await scene.posthorn.request('POST', `/v1/channels/${channelId}/messages`, again, scene.key);
      expect(second.body).toMatchObject({ id: new URL(page.url()).pathname.split('/').at(-1) });
    });
  });

  describe('the list', () => {
    test('leaves messages of the service itself out until they are asked for', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, {});
      const system = await scene.posthorn.deps.pool.query<{ id: string }>(
        `INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object('id', posthorn_id('msg'), 'event_type', 'run.failed',
           'channel_id', (SELECT s.id FROM channels s JOIN channels c ON c.environment_id = s.environment_id WHERE s.kind = 'system' AND c.id = $2)))).*
         FROM messages m WHERE m.id = $1 RETURNING id`,
        [id, channelId],
      );
      expect(system.rows).toHaveLength(1);
      await dashboard.open('/messages');
      await rowOf(id).waitFor();
      expect(await page.getByText('run.failed').count()).toBe(0);
      await page.getByRole('button', { name: 'View: All' }).click();
      await page.getByRole('menu').getByText('With system messages').click();
      await page.waitForURL(/system=true/);
      await page.getByText('run.failed').waitFor();
    });

    test('is narrowed to a time by drawing over its chart, which says what it does not follow', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, {});
      const subscriptionId = await scene.make('/v1/subscriptions', {
        channelId,
        webhookUrl: 'https://example.com/hook',
      });
      await storeDay(scene, { channelId, subscriptionId });
      await dashboard.open('/messages');
      await rowOf(id).waitFor();
      const chart = page.getByRole('region', { name: 'Accepted messages' });
      const slider = chart.getByRole('slider');
      await slider.waitFor();
      const box = await slider.boundingBox();
      if (box === null) throw new Error('the chart is not shown');
      // A hover waits until the chart stands still.
      await slider.hover({ position: { x: box.width * 0.3, y: 10 } });
      await page.mouse.down();
      await slider.hover({ position: { x: box.width * 0.5, y: 10 } });
      await page.mouse.up();
      await page.waitForURL(/since=.*until=/);
      const { searchParams } = new URL(page.url());
      const hours =
        (Date.parse(searchParams.get('until') ?? '') - Date.parse(searchParams.get('since') ?? '')) / 3_600_000;
      expect(hours).toBeGreaterThan(2);
      expect(hours).toBeLessThan(8);
      await page.getByRole('heading', { name: 'No messages match' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await rowOf(id).waitFor();
      expect(page.url()).not.toContain('until=');
      // Messages are counted by channel alone.
      await dashboard.open(`/messages?channel=${channelId}&type=order.*&status=unrouted`);
      await chart.getByRole('button', { name: /Not filtered by status, event type\./ }).waitFor();
    });

    test('finds messages by the ID of their publisher, and says for how long that is possible', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, { id: 'order-77' });
      const other = await publish(channelId, { id: 'order-78' });
      await dashboard.open('/messages');
      await rowOf(other).waitFor();
      const told = page.getByText('External IDs are searchable for 24 hours after publishing');
      expect(await told.count()).toBe(0);
      await page.getByRole('combobox', { name: 'Filter' }).fill('publisher:order-77');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await rowOf(other).waitFor({ state: 'detached' });
      await rowOf(id).waitFor();
      await told.waitFor();
    });

    test('shows the first row high on the screen, and a message beside itself that the keyboard walks through', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const subscriptionId = await scene.make('/v1/subscriptions', {
        channelId,
        webhookUrl: 'https://example.com/hook',
      });
      for (const eventType of ['order.created', 'order.paid']) await publish(channelId, { eventType });
      await storeDay(scene, { channelId, subscriptionId });
      await dashboard.open('/messages');
      const first = page.getByRole('row').nth(1);
      await first.getByText('order.paid').waitFor();
      await page.getByRole('region', { name: 'Accepted messages' }).waitFor();
      expect((await first.boundingBox())?.y).toBeLessThan(240);
      const panel = page.getByRole('complementary', { name: 'Message' });
      await page.keyboard.press('k');
      await page.keyboard.press('Enter');
      await panel.getByRole('heading', { name: /order\.paid/, level: 2 }).waitFor();
      await page.keyboard.press('j');
      await panel.getByRole('heading', { name: /order\.created/, level: 2 }).waitFor();
      expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
      await page.keyboard.press('o');
      await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
    });
  });

  describe('the tabs', () => {
    test('a message that waits for its time stands under Scheduled, and is cancelled there', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      const id = await publish(channelId, { delay: 3_600_000 });
      await dashboard.open('/messages');
      await page.getByRole('tab', { name: 'Scheduled' }).click();
      await rowOf(id).getByText('order.created').click();
      const panel = page.getByRole('complementary', { name: 'Message' });
      await panel.getByRole('button', { name: 'Cancel message…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
      await page.getByRole('heading', { name: 'No scheduled messages' }).waitFor();
      const { body } = await scene.posthorn.request('GET', `/v1/messages/${id}`, undefined, scene.key);
      expect(body).toMatchObject({ deliveryStatus: 'cancelled' });
      expect(new URL(page.url()).searchParams.get('tab')).toBe('scheduled');
    });

    test('the live tail shows messages as they come, with their exact payload, and goes on where it was paused', async () => {
      const { page } = dashboard;
      const channelId = await scene.make('/v1/channels', { name: 'orders' });
      await dashboard.open(`/messages?tab=tail&channel=${channelId}`);
      await page.getByText('Listening: 0 messages so far').waitFor();
      const payload = '{"total":12.50,"who":"<b>x</b>"}';
      await scene.posthorn.request(
        'POST',
        `/v1/channels/${channelId}/messages`,
        `{"eventType":"order.created","payload":${payload}}`,
        scene.key,
      );
      await page.getByRole('cell', { name: payload }).waitFor();
      expect(await dashboard.violations()).toEqual([]);
      await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).first().click();
      await page.getByText('Paused: 1 message so far').waitFor();
      await publish(channelId, { eventType: 'order.missed' });
      expect(await page.getByText('order.missed').count()).toBe(0);
      await page.getByRole('button', { name: 'Auto-refresh off. Resume' }).first().click();
      await page.getByText('order.missed').waitFor();
      expect(await page.getByRole('row').count()).toBe(3);
    });
  });
});
