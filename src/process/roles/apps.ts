import type { App } from '../../identity/tenancy/apps/schema.ts';
import { print, say } from './serving/role.ts';
import { toTable, visible } from './printing.ts';
import { withIdentity } from './with-database.ts';

type Output = { json: boolean };

/** `posthorn apps create`: prints only the id, so that a script can use it; with `json`, all fields. */
export async function createApp(
  { organisation, ...app }: { name: string; slug?: string; organisation?: string },
  { json }: Output,
): Promise<void> {
  const created = await withIdentity(({ apps }) => apps.operator.create(app, organisation));
  print(json ? JSON.stringify(created, undefined, 2) : created.id);
  if (!json)
    say(
      `The app has a live and a test environment. Create keys for them: npx posthorn keys create --app ${created.slug} --env live`,
    );
}

/** `posthorn apps list`: every app of every organisation. */
export async function listApps({ json }: Output): Promise<void> {
  const apps = await withIdentity(({ apps: service }) => service.operator.list());
  print(json ? JSON.stringify(apps, undefined, 2) : describeApps(apps));
}

/** `posthorn apps suspend`: within 5 s every process rejects the app's credentials, and its deliveries wait. */
export async function suspendApp(ref: string): Promise<void> {
  const { slug, id } = await withIdentity(({ apps }) => apps.operator.setStatus(ref, 'suspended'));
  print(`Suspended ${slug} (${id})`);
}

/** `posthorn apps activate`: the app's deliveries resume, and within 5 s every process accepts its credentials. */
export async function activateApp(ref: string): Promise<void> {
  const { slug, id } = await withIdentity(({ apps }) => apps.operator.setStatus(ref, 'active'));
  print(`Activated ${slug} (${id})`);
}

const describeApps = (apps: readonly App[]): string =>
  toTable([
    ['ID', 'SLUG', 'STATUS', 'NAME'],
    ...apps.map(({ id, slug, status, name }) => [id, slug, status, visible(name)]),
  ]);
