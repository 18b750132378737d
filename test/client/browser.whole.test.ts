import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type * as Library from '../../client/src/index.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { forward } from '../support/world/forward.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';

declare global {
  /** In the page: the library as the page has imported it. */
  var library: typeof Library;
}

describeWithBrowser('the client library in a browser', () => {
  const PAGE =
    '<!doctype html><script type="module">import * as library from "/client/index.js"; globalThis.library = library;</script>';

  let posthorn: TestPosthorn;
  let packed: PackedClient;
  let server: Server;
  let origin: string;
  let browser: Browser;
  let page: Page;
  /** Errors that the page has met and nobody has caught. */
  const complaints: string[] = [];

  beforeAll(async () => {
    packed = await installClient();
    // One origin, as behind the proxy of an installation: the page, the files of the library, and the API.
    server = createServer((incoming, outgoing) => {
      const { url = '' } = incoming;
      if (url === '/page') return void outgoing.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      if (url === '/favicon.ico') return void outgoing.writeHead(204).end();
      if (url.startsWith('/client/')) {
        const text = readFileSync(join(packed.folder, 'dist', url.slice('/client/'.length)), 'utf8');
        return void outgoing.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
      }
      forward(posthorn.url, incoming, outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // `as`: a server that listens on TCP has no other kind of address.
    const { port } = server.address() as AddressInfo;
    origin = `http://localhost:${port}`;
    posthorn = await startPosthorn({ withWorker: false, variables: { PUBLIC_BASE_URL: origin } });
    await setUp(posthorn);
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(`${origin}/page`);
    await page.waitForFunction(() => 'library' in globalThis);
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    packed.remove();
    await posthorn.stop();
  });

  describe('in a real browser', () => {
    test('a user signs in, acts where each request says, and signs out', async () => {
      const seen = await page.evaluate(
        async ({ baseUrl, email, password }) => {
          const { Posthorn } = globalThis.library;
          const client = new Posthorn({ baseUrl, credentials: { session: {} } });
          await client.signIn.byPassword({ email, password });
          const me = await client.session.get();
          const appId = me.organisations[0]?.apps[0]?.id ?? '';
          const acting = new Posthorn({ baseUrl, credentials: { session: { appId, environment: 'live' } } });
          const channel = await acting.channels.create({ name: 'from a page' });
          const codes: unknown[] = [];
          const keep = (error: unknown): void => void codes.push(Reflect.get(Object(error), 'code'));
          await acting.channels.get(channel.id, { place: { environment: 'test' } }).catch(keep);
          const names: string[] = [];
          for await (const { name } of acting.channels.list()) names.push(name);
          await acting.messages.publish(channel.id, { eventType: 'order.paid', payload: { number: 1 } });
          await client.session.signOut();
          await acting.channels.list().page().catch(keep);
          return { email: me.user.email, names, codes };
        },
        { baseUrl: origin, ...OWNER },
      );
      expect(seen).toEqual({
        email: OWNER.email,
        names: expect.arrayContaining(['from a page']),
        codes: ['NOT_FOUND', 'UNAUTHORIZED'],
      });
    });

    test('a machine credential signs its requests with a key that cannot be read', async () => {
      const { body } = await posthorn.request<{ id: string; clientSecret: string }>('POST', '/v1/machine-credentials', {
        name: 'page',
      });
      const names = await page.evaluate(
        async ({ baseUrl, clientId, clientSecret }) => {
          const client = new globalThis.library.Posthorn({ baseUrl, credentials: { clientId, clientSecret } });
          await client.channels.create({ name: 'with a proof' });
          return (await client.channels.list().all()).map(({ name }) => name);
        },
        { baseUrl: origin, clientId: body.id, clientSecret: body.clientSecret },
      );
      expect(names).toContain('with a proof');
    });

    test('a stream is read, and ends when its signal aborts', async () => {
      const numbers = await page.evaluate(
        async ({ baseUrl, apiKey }) => {
          const client = new globalThis.library.Posthorn({ baseUrl, credentials: { apiKey } });
          const { id } = await client.channels.create({ name: 'streamed' });
          for (const number of [1, 2]) await client.messages.publish(id, { eventType: 'a', payload: { number } });
          const stopping = new AbortController();
          const seen: unknown[] = [];
          const stream = client.messages.stream(id, { since: new Date(0) }, { signal: stopping.signal });
          for await (const { message } of stream) {
            seen.push(message.payload?.['number']);
            if (seen.length === 2) await client.messages.publish(id, { eventType: 'a', payload: { number: 3 } });
            if (seen.length === 3) stopping.abort();
          }
          return seen;
        },
        { baseUrl: origin, apiKey: posthorn.keys.live },
      );
      expect(numbers).toEqual([1, 2, 3]);
    });

    // The vectors of Standard Webhooks, as in client/test/verify-webhook.test.ts.
    test('webhooks of both versions are verified', async () => {
      const verdicts = await page.evaluate(async () => {
        const { verifyWebhook } = globalThis.library;
        const headers = (signature: string) => ({
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': signature,
        });
        const v1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
        const v1a = 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==';
        const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
        const publicKey = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';
        const verdictOf = (body: string, signature: string, by: string) =>
          verifyWebhook(body, headers(signature), by, { now: new Date(1_614_265_330_000) }).then(
            () => 'taken',
            (error: unknown) => String(Reflect.get(Object(error), 'problem')),
          );
        const body = '{"test": 2432232314}';
        return Promise.all([
          verdictOf(body, v1, secret),
          verdictOf(body, v1a, publicKey),
          verdictOf(`${body} `, v1, secret),
          verdictOf(`${body} `, v1a, publicKey),
        ]);
      });
      expect(verdicts).toEqual(['taken', 'taken', 'no_matching_signature', 'no_matching_signature']);
    });

    test('no error is left unhandled', () => {
      expect(complaints).toEqual([]);
    });
  });
});
