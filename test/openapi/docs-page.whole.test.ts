import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { sourcesOf } from '../support/check/imports.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

describeWithBrowser('docs page in a browser', () => {
  let posthorn: TestPosthorn;
  let browser: Browser;

  beforeAll(async () => {
    [posthorn, browser] = await Promise.all([startPosthorn({ withWorker: false }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await posthorn.stop();
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(posthorn.url + path, { method, headers });

  describe('the page in a browser', () => {
    let page: Page;
    const requested: string[] = [];
    const failures: string[] = [];

    beforeAll(async () => {
      page = await browser.newPage();
      page.on('request', (request) => requested.push(request.url()));
      page.on('requestfailed', (request) => failures.push(`${request.url()} failed`));
      page.on('response', (response) => {
        if (response.status() >= 400) failures.push(`${response.url()} answered ${response.status()}`);
      });
      page.on('pageerror', (error) => failures.push(error.message));
      // Chromium tells of a violated policy on its console, and nowhere else that a page's own scripts could hide it.
      page.on('console', (message) => {
        if (message.type() === 'error') failures.push(message.text());
      });
      await page.goto(`${posthorn.url}/docs`);
      await page.getByText('Create a channel').first().waitFor();
    });

    test('shows the groups, and the operations of those that one opens', async () => {
      expect(await page.title()).toContain('Posthorn');
      expect(await page.locator('body').innerText()).toContain('deadLetters');
      await page.getByText('deadLetters', { exact: true }).first().click();
      await page.getByText('Replay many dead letters').first().click();
      await page.getByText('Requires the scope').first().waitFor();
    });

    test('asks no other server for anything, breaks no policy and has no error', () => {
      expect(requested.filter((url) => !url.startsWith(`${posthorn.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
      expect(requested.filter((url) => url.endsWith('/openapi.json')).length).toBeGreaterThan(0);
      expect(failures).toEqual([]);
    });
  });

  describe('the files', () => {
    test('allow scripts of our own and no inline ones, and styles of the page alone', async () => {
      const policy = (await get('/docs')).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
      expect(policy).toContain("style-src 'unsafe-inline'");
    });

    // Regression: the icons of connectors allowed inline styles too, which they have none of.
    test('are the only ones that allow inline styles or scripts', async () => {
      const unsafe = await Promise.all(
        ['/docs', '/dashboard/', '/connectors/slack.svg', '/v1/channels', '/openapi.json', '/healthz', '/nothing'].map(
          async (path) =>
            (await get(path)).headers.get('content-security-policy')?.includes('unsafe-') === true ? path : '',
        ),
      );
      expect(unsafe.filter((path) => path !== '')).toEqual(['/docs']);
      const written = [...sourcesOf('src')]
        .filter(([, source]) => /'unsafe-[a-z-]+'/.test(source))
        .map(([path]) => path);
      expect(written).toEqual(['src/api/openapi/pages.ts']);
    });

    test('draw the icons of connectors in their colours without inline styles', async () => {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      const icon = await page.goto(`${posthorn.url}/connectors/slack.svg`);
      expect(icon?.headers()['content-security-policy']).toBe("default-src 'none'; sandbox");
      const colour = /fill="(#\w+)"/.exec((await icon?.text()) ?? '')?.[1];
      expect(await page.locator('rect').getAttribute('fill')).toBe(colour);
      await page.screenshot();
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('are scripts whose names change with their content, kept for ever', async () => {
      const paths = [...(await (await get('/docs')).text()).matchAll(/src="([^"]+)"/g)].map(
        ([, path = '']) => `/${path}`,
      );
      expect(paths).toHaveLength(2);
      for (const path of paths) {
        const answer = await get(path);
        expect([answer.status, answer.headers.get('cache-control')]).toEqual([
          200,
          'public, max-age=31536000, immutable',
        ]);
        expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
        await answer.body?.cancel();
      }
      expect((await get('/docs/scalar-other.js')).status).toBe(404);
    });

    test.each(['/docs', '/openapi.json'])('%s is asked for again, and not sent again', async (path) => {
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect((await first.text()).length).toBeGreaterThan(300);
      const again = await get(path, { 'if-none-match': `"other", ${etag}` });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
      expect((await get(path, { 'if-none-match': etag.slice(2) })).status).toBe(304);
    });

    test('are packed for those who take it', async () => {
      const packed = await get('/openapi.json', { 'accept-encoding': 'gzip' });
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(Number(packed.headers.get('content-length'))).toBeLessThan(80_000);
      expect(await packed.json()).toMatchObject({ openapi: '3.1.1' });
      const plain = await get('/openapi.json', { 'accept-encoding': 'identity' });
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
      expect(await plain.json()).toMatchObject({ openapi: '3.1.1' });
    });

    test('answer HEAD with their headers, other methods with those that there are', async () => {
      const head = await get('/openapi.json', { 'accept-encoding': 'identity' }, 'HEAD');
      const length = Number(head.headers.get('content-length'));
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(length).toBeGreaterThan(100_000);
      const post = await get('/docs', {}, 'POST');
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(await post.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
    });

    test('are public, counted like every request of a stranger, and take any parameter', async () => {
      const { status, headers } = await get('/openapi.json?version=1');
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toMatch(/^req_/);
      expect(Number(headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
    });
  });
});
