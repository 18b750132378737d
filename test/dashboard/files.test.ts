import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const FOLDER = resolve(import.meta.dirname, '../../dist/dashboard-files');

describe('the files of the dashboard', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({
      withWorker: false,
      variables: { PUBLIC_BASE_URL: 'https://api.example.com/messaging' },
    });
  });
  afterAll(() => posthorn.stop());
  const get = (path: string, encoding = 'br'): Promise<Response> =>
    fetch(posthorn.url + path, { headers: { 'accept-encoding': encoding } });

  test('every address of a page is answered with one page that lets nothing foreign in', async () => {
    const page = await get('/dashboard/default/live/messages/msg_1');
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toBe(await (await get('/dashboard')).text());
    expect(html).toBe(await (await get('/dashboard/sign-in?returnTo=/x')).text());
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': expect.stringContaining("script-src 'self'; style-src 'self'"),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
    });
    expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
    // Behind a proxy that takes the first folder of the address away.
    expect(html).toContain('<meta name="posthorn-base" content="/messaging/dashboard" />');
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(link).toMatch(/^\/messaging\/dashboard\/[\w./-]+(\?[\w-]{16})?$/);
      expect((await get(link.slice('/messaging'.length))).status).toBe(200);
    }
    expect(html).not.toMatch(/<script>|<style|style=| on\w+=/);
  });

  test('scripts come packed and are kept for ever, and what is not there is no page', async () => {
    const html = await (await get('/dashboard/')).text();
    const [script = ''] = /\/dashboard\/assets\/index-[\w-]+\.js/.exec(html) ?? [];
    const packed = await get(script);
    expect(Object.fromEntries(packed.headers)).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
    const text = await packed.text();
    expect(await (await get(script, 'gzip')).text()).toBe(text);
    expect(await (await get(script, 'identity')).text()).toBe(text);
    for (const path of [
      '/dashboard/assets/none.js',
      '/dashboard/../package.json',
      '/dashboard/.vite/manifest.json',
      '/dashboards',
    ])
      expect((await get(path)).status).toBe(404);
    expect((await fetch(`${posthorn.url}/dashboard/`, { method: 'POST' })).status).toBe(405);
  });

  test('a browser at the address of the API is led to the dashboard, and a program is told that there is nothing', async () => {
    const led = await openRoot(posthorn, BROWSER);
    expect([led.status, led.headers.get('location')]).toEqual([303, 'https://api.example.com/messaging/dashboard/']);
    expect([await led.text(), led.headers.get('vary')]).toEqual(['', expect.stringContaining('Accept')]);
    for (const accept of ['*/*', 'application/json'])
      expect([accept, (await openRoot(posthorn, accept)).status]).toEqual([accept, 404]);
    expect((await openRoot(posthorn, BROWSER, 'POST')).status).toBe(404);
  });
});

/** Header Accept of a browser that opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
const openRoot = ({ url }: TestPosthorn, accept: string, method = 'GET'): Promise<Response> =>
  fetch(`${url}/`, { method, headers: { accept }, redirect: 'manual' });

test('an operator who names another address for the dashboard has none here', async () => {
  const posthorn = await startPosthorn({
    withWorker: false,
    variables: { PUBLIC_BASE_URL: 'https://api.example.com', DASHBOARD_URL: 'https://dash.example.com' },
  });
  expect((await fetch(`${posthorn.url}/dashboard/`)).status).toBe(404);
  const led = await openRoot(posthorn, BROWSER);
  expect([led.status, led.headers.get('location')]).toEqual([303, 'https://dash.example.com/']);
  await posthorn.stop();
});

test('an operator who wants no dashboard has the API alone', async () => {
  const posthorn = await startPosthorn({ withWorker: false, variables: { DASHBOARD: 'off' } });
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/sign-in', '/dashboard/mark.svg'])
    expect([path, (await fetch(posthorn.url + path)).status]).toEqual([path, 404]);
  expect((await openRoot(posthorn, BROWSER)).status).toBe(404);
  expect((await posthorn.request('GET', '/v1/channels')).status).toBe(200);
  await posthorn.stop();
});

/** Bytes, compressed by gzip. */
const MOST = { first: 300_000, page: 170_000, styles: 25_000 };

test('no page loads more than its budget', () => {
  type Part = { file: string; isEntry?: boolean; imports?: string[]; css?: string[]; isDynamicEntry?: boolean };
  // `as`: what Vite writes.
  const parts = JSON.parse(readFileSync(join(FOLDER, '.vite/manifest.json'), 'utf8')) as Record<string, Part>;
  const size = (file: string): number => gzipSync(readFileSync(join(FOLDER, file))).length;
  const filesOf = (name: string, seen = new Set<string>()): Set<string> => {
    const part = parts[name];
    if (part === undefined || seen.has(part.file)) return seen;
    seen.add(part.file);
    for (const each of part.imports ?? []) filesOf(each, seen);
    return seen;
  };
  const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + size(file), 0);
  const [entry = ''] = Object.entries(parts).flatMap(([name, { isEntry }]) => (isEntry === true ? [name] : []));
  const first = filesOf(entry);
  expect(sum(first)).toBeLessThan(MOST.first);
  expect(sum(parts[entry]?.css ?? [])).toBeLessThan(MOST.styles);
  const lazy = Object.entries(parts).filter(([, { isDynamicEntry }]) => isDynamicEntry === true);
  expect(lazy.length).toBeGreaterThan(10);
  for (const [name] of lazy) {
    const more = [...filesOf(name)].filter((file) => !first.has(file));
    expect([name, sum(more) < MOST.page]).toEqual([name, true]);
  }
});
