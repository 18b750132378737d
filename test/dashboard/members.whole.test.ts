import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { enrolTotp } from '../support/make/factors.ts';
import { joinAs, OWNER, signIn } from '../support/make/people.ts';
import { createBrowser } from '../support/world/browser.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('members in a browser', () => {
  /** Stories of an owner and another member. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let joined: Awaited<ReturnType<typeof joinAs>>;
  const DORA = 'dora@example.com';

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    const owner = await signIn(scene.posthorn, OWNER);
    const organisation = `/v1/organisations/${owner.me.organisations[0]?.id}`;
    joined = await joinAs(scene.posthorn, owner.browser, organisation, { role: 'developer', email: DORA });
    await dashboard.open('/members');
  });

  const dialog = () => dashboard.page.getByRole('dialog');

  /** Chooses something in the menu of a person. */
  async function choose(person: string, item: string): Promise<void> {
    const { page } = dashboard;
    await page.getByRole('button', { name: `Actions of ${person}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await dialog().waitFor();
  }

  /** Chooses it, types the name of the member, and says yes. */
  async function confirm(item: string): Promise<void> {
    await choose('developer', `${item}…`);
    const go = dialog().getByRole('button', { name: item, exact: true });
    expect(await go.isDisabled()).toBe(true);
    await dialog().getByLabel('Type developer to confirm').fill('developer');
    await go.click();
  }

  test('an owner makes a link that is shown once, and its person sets a new password by it', async () => {
    const { page, context } = dashboard;
    await choose('developer', 'Send password reset…');
    await dialog().getByRole('button', { name: 'Send password reset' }).click();
    const once = page.getByRole('dialog', { name: 'Password reset link' });
    const link = (await once.getByRole('region', { name: 'Password reset link' }).innerText()).trim();
    await once.getByText(`Send this link to ${DORA}.`).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await once.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(link);

    const other = await context.browser()?.newContext();
    const reset = await other?.newPage();
    if (reset === undefined) throw new Error('no other browser');
    await reset.goto(link);
    await reset.getByLabel('New password').fill('marble otter quiet lamp');
    await reset.getByRole('button', { name: 'Set new password' }).click();
    await reset.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other?.close();
    await signIn(scene.posthorn, { email: DORA, password: 'marble otter quiet lamp' });
  });

  test('an owner takes the second factor from somebody who has lost it, by typing their name', async () => {
    await enrolTotp(joined.browser);
    await confirm('Reset two-factor');
    await dashboard.page.getByText('Two-factor reset', { exact: true }).waitFor();
    // A password alone is enough again.
    const { me } = await signIn(scene.posthorn, { email: DORA, password: joined.password });
    expect(me.user.email).toBe(DORA);
  });

  test('a role is changed in its row', async () => {
    const { page } = dashboard;
    await page.getByRole('combobox', { name: /^Role of developer/ }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await page.getByText('developer is now a viewer').waitFor();
    await page.getByRole('combobox', { name: 'Role of developer: Viewer' }).waitFor();
    const { me } = await signIn(scene.posthorn, { email: DORA, password: joined.password });
    expect(me.organisations.map(({ role }) => role)).toEqual(['viewer']);
  });

  test('an owner transfers the ownership, is an admin then, and sees only what an admin may do', async () => {
    const { page } = dashboard;
    await confirm('Transfer ownership');
    await page.getByText('Ownership transferred').waitFor();
    await page.getByRole('row', { name: /Olga Owner.*Admin/ }).waitFor();
    await page.getByRole('row', { name: /developer.*Owner/ }).waitFor();
    await page.getByRole('button', { name: 'Actions of developer' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('combobox', { name: /^Role of/ }).count()).toBe(0);
  });

  test('a member is removed by typing the name, and their session ends', async () => {
    const { page } = dashboard;
    await confirm('Remove member');
    await page.getByRole('row', { name: /developer/ }).waitFor({ state: 'detached' });
    const { status } = await createBrowser(scene.posthorn).request('POST', '/v1/sign-in', {
      email: DORA,
      password: joined.password,
    });
    // The account stays, without any organisation.
    expect(status).toBe(200);
  });

  test('somebody is invited by a link that is shown once, and joins; another invitation is revoked', async () => {
    const { page, context } = dashboard;
    const invite = async (email: string): Promise<string> => {
      await page.getByRole('button', { name: 'Invite member' }).click();
      await dialog().getByLabel('Email').fill(email);
      await dialog().getByRole('button', { name: 'Invite member' }).click();
      const link = dialog().getByRole('region', { name: 'Invitation link' });
      await link.waitFor();
      // The link is shown only once.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      const text = (await link.innerText()).trim();
      await dialog().getByRole('button', { name: 'Done' }).click();
      await page.getByRole('row', { name: new RegExp(`Invited.*${email}`) }).waitFor();
      return text;
    };
    const link = await invite('ida@example.com');
    const other = await context.browser()?.newContext();
    const invited = await other?.newPage();
    if (invited === undefined) throw new Error('no other browser');
    await invited.goto(link);
    await invited.getByRole('heading', { name: /^Join / }).waitFor();
    await invited.getByText('Viewer · ida@example.com').waitFor();
    await invited.getByLabel('Name').fill('Ida');
    await invited.getByLabel('Password').fill('short');
    await invited.getByRole('button', { name: 'Accept invitation' }).click();
    await invited.getByText('must have at least 12 characters').waitFor();
    expect(await invited.getByRole('alert').count()).toBe(0);
    await invited.getByLabel('Password').fill('marble otter quiet lamp');
    await invited.getByRole('button', { name: 'Accept invitation' }).click();
    await invited.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await invited.goto('about:blank');
    await invited.goto(link);
    await invited.getByText('This invitation has expired or was already used.').waitFor();
    await other?.close();

    await invite('grace@example.com');
    await choose('grace@example.com', 'Revoke…');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await choose('grace@example.com', 'Revoke…');
    await dialog().getByRole('button', { name: 'Revoke invitation' }).click();
    await page.getByRole('row', { name: /grace@example\.com/ }).waitFor({ state: 'detached' });
  });

  // The hundred first ones were all that was asked for, and nothing said that there are more.
  test('people beyond the first hundred are shown by a button', async () => {
    const { page } = dashboard;
    const { pool } = scene.posthorn.deps;
    const more = page.getByRole('button', { name: 'Load more members' });
    await page.getByRole('row', { name: new RegExp(DORA) }).waitFor();
    expect(await more.count()).toBe(0);
    await pool.query(
      `WITH made AS (
       INSERT INTO users (id, email, name, updated_at)
       SELECT posthorn_id('usr'), 'person-' || n || '@example.com', 'Person ' || n, now() FROM generate_series(1, 101) n
       RETURNING id
     )
     INSERT INTO members (organisation_id, user_id, role)
     SELECT (SELECT organisation_id FROM members LIMIT 1), id, 'viewer' FROM made`,
    );
    await dashboard.open('/members');
    const people = page.getByRole('row').filter({ hasText: '@example.com' });
    await more.click();
    await waitFor('all are shown', async () => (await people.count()) === 103);
    expect(await more.count()).toBe(0);
  });
});
