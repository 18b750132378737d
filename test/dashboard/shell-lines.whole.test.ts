import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { commandLine, curlLine } from '../../dashboard/src/lib/shell-lines.ts';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('shell lines in a browser', () => {
  /** Each action shows its request as a line for a shell, made by the client library and not sent. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const run = promisify(execFile);
  /** Runs a line as somebody who has copied it. */
  const inShell = async (line: string, variables: Record<string, string> = {}): Promise<string> => {
    const known = Object.entries({ POSTHORN_KEY: scene.key.key, ...variables });
    const exported = known.map(([name, value]) => `export ${name}='${value}'`);
    return (await run('bash', ['-c', [...exported, line].join('\n')])).stdout;
  };
  const told = async (): Promise<string> =>
    (await dashboard.page.getByRole('region', { name: 'cURL' }).textContent()) ?? '';
  const channels = async (): Promise<string[]> => {
    const { body } = await scene.posthorn.request<{ data: { name: string }[] }>(
      'GET',
      '/v1/channels',
      undefined,
      scene.key,
    );
    return body.data.map(({ name }) => name);
  };

  test('a form shows its request without sending it, and the line does the same', async () => {
    const { page } = dashboard;
    await dashboard.open('/channels/new');
    const name = `Till's "own" $HOME \\ channel`;
    const field = page.getByRole('textbox', { name: 'Name' });
    await field.fill(name);
    await page.getByRole('button', { name: 'Equivalent request' }).click();
    const line = await told();
    expect(await channels()).not.toContain(name);
    await page.getByRole('dialog', { name: 'Equivalent request' }).getByRole('button', { name: 'Close' }).click();
    // Another field makes another request of it.
    await field.fill('orders');
    await page.getByRole('button', { name: 'Equivalent request' }).click();
    await page.getByRole('region', { name: 'cURL' }).getByText('orders').waitFor();
    expect(line).not.toContain(scene.key.key);
    expect(JSON.parse(await inShell(line))).toMatchObject({ name });
    expect(await channels()).toContain(name);
  });

  test('numbers of a payload keep their digits, and quotes stay quotes', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open(`/messages/new?channel=${channelId}`);
    const drawer = page.getByRole('dialog', { name: /^Publish message/ });
    await drawer.getByRole('combobox', { name: 'Event type' }).fill('order.created');
    await drawer.getByRole('textbox', { name: 'Payload', exact: true }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(`{"total": 12.50, "id": 9007199254740993, "who": "O'Hara"}`);
    await drawer.getByRole('button', { name: 'Equivalent request' }).click();
    const { id } = JSON.parse(await inShell(await told())) as { id: string };
    const read = await fetch(`${scene.posthorn.url}/v1/messages/${id}`, {
      headers: { authorization: `Bearer ${scene.key.key}` },
    });
    expect(await read.text()).toMatch(/12\.50.*9007199254740993.*O'Hara/);
  });

  test('a question shows the request before it is answered, and a note the one that was sent', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/channels', { name: 'doomed' });
    await dashboard.open(`/channels/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Equivalent request' }).click();
    const line = (await dialog.getByRole('region', { name: 'cURL' }).textContent()) ?? '';
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await channels()).toContain('doomed');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'cURL', exact: true }).click();
    const sent = await told();
    expect(sent).toContain(`/v1/channels/${id}' \\\n`);
    expect(sent).toContain(`--data-raw '{"status":"paused"}'`);
    await page.keyboard.press('Escape');
    await inShell(line);
    await waitFor('the channel is gone', async () => !(await channels()).includes('doomed'));
  });

  test('a secret stays the name of a variable', async () => {
    const { page } = dashboard;
    await dashboard.open('/secrets');
    await page.getByRole('button', { name: 'Create secret' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('TILL');
    await dialog.getByLabel('Value').fill('open-sesame');
    await dialog.getByRole('button', { name: 'Equivalent request' }).click();
    const line = await told();
    expect(line).not.toContain('open-sesame');
    expect(JSON.parse(await inShell(line, { VALUE: 'open-sesame' }))).toMatchObject({ name: 'TILL' });
  });

  test('an action that no key may do says so, and shows the command line that the service has for it', async () => {
    const { page } = dashboard;
    await dashboard.open('/members');
    await page.getByRole('button', { name: 'Invite member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('ada@example.com');
    await dialog.getByRole('button', { name: 'Equivalent request' }).click();
    await dialog.getByText('Not available with an API key').waitFor();
    expect(await dialog.getByRole('region', { name: 'Posthorn CLI' }).textContent()).toMatch(
      /^posthorn members invite 'ada@example.com' --role 'viewer' --organisation org_/,
    );
  });

  const url = 'https://posthorn.example.com/v1';
  const written = (method: string, path: string, body?: object) => ({
    method,
    url: url + path,
    body: body && JSON.stringify(body),
    isKeyed: method === 'POST',
  });

  test('members that are secrets are named by what holds them, and data of the caller stay as they are', () => {
    const webhook = curlLine(written('POST', '/webhooks', { name: 'a', secrets: ['one'], scheme: 'stripe' }));
    expect(webhook).toContain(`--data-raw '{"name":"a","secrets":["'"$SECRETS"'"],"scheme":"stripe"}'`);
    const connection = { connector: 'slack', credentials: { botToken: 'x"y', list: ['z'] } };
    expect(curlLine(written('POST', '/connections', connection))).toContain(
      `{"connector":"slack","credentials":{"botToken":"'"$BOT_TOKEN"'","list":["'"$LIST"'"]}}`,
    );
    const subscription = { headers: { Authorization: 'Bearer x', 'X-Shop': '7' } };
    expect(curlLine(written('PATCH', '/subscriptions/sub_1', subscription))).toContain(
      `{"headers":{"Authorization":"'"$AUTHORIZATION"'","X-Shop":"7"}}`,
    );
    const message = { eventType: 'a.b', payload: { secret: 's', code: 'c' } };
    expect(curlLine(written('POST', '/channels/chn_1/messages', message))).toContain(JSON.stringify(message));
  });

  test('the command line of the service stands beside what it can do', () => {
    const place = { appId: 'app_1', environment: 'live' };
    const made = commandLine(written('POST', '/api-keys', { name: "Till's", scopes: ['a', 'b'], tier: 'pro' }), place);
    expect(made).toBe(
      String.raw`posthorn keys create --env live --app app_1 --name 'Till'\''s' --tier 'pro' --scopes 'a,b'`,
    );
    expect(commandLine(written('DELETE', '/api-keys/key_1'), place)).toBe('posthorn keys revoke key_1');
    expect(commandLine(written('PATCH', '/apps/app_1', { status: 'suspended' }), place)).toBe(
      'posthorn apps suspend app_1',
    );
    expect(commandLine(written('PATCH', '/apps/app_1', { name: 'Shop' }), place)).toBeUndefined();
    expect(commandLine(written('POST', '/dlq/replay', {}), place)).toBeUndefined();
  });
});
