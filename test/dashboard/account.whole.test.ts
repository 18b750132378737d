import { expect, test } from '@jest/globals';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { forgetSteps, totpCode } from '../support/make/factors.ts';
import { OWNER, signIn } from '../support/make/people.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('an account in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const method = (name: string) =>
    dashboard.page.getByRole('list', { name: 'Sign-in methods' }).getByRole('listitem').filter({ hasText: name });

  /** A browser that has passkeys, and says yes to each question about them. */
  async function plugAuthenticator(): Promise<void> {
    const devtools = await dashboard.context.newCDPSession(dashboard.page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  }

  test('an authenticator app is asked for when its person signs in again', async () => {
    const { page } = dashboard;
    await dashboard.open('/account');
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'QR code with the setup key' }).waitFor();
    const secret = (await dialog.getByRole('region', { name: 'Setup key' }).innerText()).trim();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret));
    await dialog.getByRole('button', { name: 'Confirm code' }).click();
    const codes = (await dialog.getByRole('region', { name: 'Recovery codes' }).innerText()).trim().split('\n');
    expect(codes).toHaveLength(10);
    // Escape alone would lose them.
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await method('Recovery codes').getByText('10 left').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dashboard.signOut();
    await forgetSteps(scene.posthorn);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await page.getByLabel('Code').press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await dashboard.open('/account');
    await method('Recovery codes').getByText('9 left').waitFor();
  });

  test('a passkey is added, and signs its person in without a password', async () => {
    const { page } = dashboard;
    await plugAuthenticator();
    await dashboard.open('/account');
    await page.getByRole('button', { name: 'Add passkey…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Actions of Laptop' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await dialog.getByLabel('Name').fill('Old laptop');
    await dialog.getByRole('button', { name: 'Rename passkey' }).click();
    await page.getByRole('dialog', { name: 'Rename Laptop' }).waitFor({ state: 'detached' });
    await method('Old laptop').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Olga O. Owner');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account of Olga O. Owner' }).waitFor();
    await dashboard.open('/members');
    await page.getByRole('row', { name: /Olga O\. Owner/ }).waitFor();
    await dashboard.signOut();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await dashboard.open('/account');
    await page.getByRole('button', { name: 'Actions of Old laptop' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialog.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('Two-factor authentication is not set up.').waitFor();
  });

  // It was a note above the overview.
  test('the menu of a person offers a passkey until it is declined', async () => {
    const { page } = dashboard;
    const offer = page.getByRole('menuitem', { name: 'Sign in faster with a passkey' });
    const open = (): Promise<void> => page.getByRole('button', { name: /^Account of / }).click();
    await open();
    await offer.click();
    const dialog = page.getByRole('dialog', { name: 'Sign in faster with a passkey' });
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await open();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await offer.count()).toBe(0);
  });

  test('a password is changed; other sessions are signed out one by one or together, each by a question', async () => {
    const { page } = dashboard;
    const dialog = page.getByRole('dialog');
    const others = page.getByRole('button', { name: /^Sign out (?!all)/ });
    const ask = async (button: string | RegExp, go: string): Promise<void> => {
      await page.getByRole('button', { name: button }).first().click();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: button }).first().click();
      await dialog.getByRole('button', { name: go, exact: true }).click();
    };
    for (let session = 0; session < 2; session += 1) await signIn(scene.posthorn, OWNER);
    await dashboard.open('/account');
    await others.nth(1).waitFor();
    await ask('Sign out all other sessions…', 'Sign out all');
    await others.first().waitFor({ state: 'detached' });
    await signIn(scene.posthorn, OWNER);
    await page.reload();
    await others.first().waitFor();
    expect(await others.count()).toBe(1);
    await ask(/^Sign out (?!all)/, 'Sign out');
    await others.first().waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Change password…' }).click();
    const password = 'marble otter quiet lamp';
    await dialog.getByLabel('Current password').fill('not the one');
    await dialog.getByLabel('New password').fill(password);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.locator('[data-invalid], [role=alert]').first().waitFor();
    await dialog.getByLabel('Current password').fill(OWNER.password);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await signIn(scene.posthorn, { email: OWNER.email, password });
  });
});
