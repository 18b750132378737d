import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from './http/route/context.ts';
import { pathOf } from './http/route/match-route.ts';
import {
  requireReading,
  FOR_EVER,
  contentHashOf,
  pageHeaders,
  type PublicFile,
  publicFile,
} from './http/public-files.ts';
import { dashboardAt } from '../kernel/values/http.ts';

/** Where `npm run build` puts the pages: next to the compiled service, or in dist when the service runs from its sources. */
const FOLDER = ['../../dashboard-files/', '../../dist/dashboard-files/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'index.html')));

/** No inline code, no other origins, and no text that turns into a script: the content of messages stays text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

type Settings = {
  publicBaseUrl: string;
  dashboardUrl?: string;
  isDashboardServed: boolean;
  temporal: { uiUrl?: string; namespace: string };
};

/**
 * Finds the files of the dashboard by their paths under /dashboard. Every page address returns the one index.html. Returns undefined
 * with DASHBOARD=off, if DASHBOARD_URL is on another address, or if the pages were not built. The files are read on the first request.
 */
export function createDashboardFiles(settings: Settings): (path: string) => Promise<PublicFile | undefined> {
  let files: Promise<ReadonlyMap<string, PublicFile>> | undefined;
  return async (path) => {
    if (!settings.isDashboardServed || FOLDER === undefined) return undefined;
    if (path !== '/dashboard' && !path.startsWith('/dashboard/')) return undefined;
    files ??= readFiles(FOLDER, settings);
    const name = path.slice('/dashboard/'.length);
    // Ids and names of pages have no dots, so a missing file is never answered with the page.
    return (await files).get(name.includes('.') ? name : 'index.html');
  };
}

/**
 * Redirects a browser from `/` to the dashboard. A program that does not ask for HTML gets the usual response to an unknown path, and
 * so does everybody if there is no dashboard.
 */
export function leadToDashboard(settings: Settings): Middleware {
  const isHere = settings.isDashboardServed && FOLDER !== undefined;
  const location = isHere || settings.dashboardUrl !== undefined ? `${dashboardAt(settings)}/` : undefined;
  return (ctx, next) => {
    const isReading = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (location === undefined || !isReading || pathOf(ctx.req.url ?? '') !== '/') return next();
    if (ctx.accepts('json', 'html') !== 'html') return next();
    requireReading(ctx);
    ctx.set({ Location: location, Vary: 'Accept', 'Cache-Control': 'no-cache' });
    ctx.status = 303;
    ctx.body = '';
    return undefined;
  };
}

async function readFiles(folder: string, settings: Settings): Promise<ReadonlyMap<string, PublicFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const served = paths.filter((path) => extname(path) in TYPES);
  const files = await Promise.all(
    served.map(async (path): Promise<[name: string, file: PublicFile]> => {
      const name = relative(folder, path).replaceAll('\\', '/');
      const content = await readFile(path);
      const brotli = existsSync(`${path}.br`) ? { brotli: await readFile(`${path}.br`) } : {};
      const headers = name.startsWith('assets/') ? FOR_EVER : {};
      return [name, publicFile(content, TYPES[extname(path)] ?? '', headers, brotli)];
    }),
  );
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const named = new Map(files);
  return named.set('index.html', pageOf(html, settings, named));
}

/** Address of our namespace in Temporal's UI, or empty. It is a URL with encoded text, so it cannot break out of an HTML attribute. */
const temporalOf = ({ uiUrl, namespace }: Settings['temporal']): string =>
  uiUrl === undefined
    ? ''
    : new URL(`${uiUrl}/namespaces/${encodeURIComponent(namespace)}`).href.replaceAll('&', '&amp;');

/**
 * Returns the page with the address of its files filled in, because it is served at paths of any depth. Files without a hash in their
 * name get one as a query, so that a newer release is never shown with an older script.
 */
function pageOf(
  html: string,
  { publicBaseUrl, temporal }: Settings,
  files: ReadonlyMap<string, PublicFile>,
): PublicFile {
  const url = new URL(publicBaseUrl);
  const prefix = `${url.pathname.replace(/\/+$/, '')}/dashboard`;
  const markOf = (name: string): string => {
    const file = files.get(name);
    return file === undefined || name.startsWith('assets/') ? '' : `?${contentHashOf(file.body)}`;
  };
  const placed = html
    .replaceAll(
      /(src|href)="\.\/([^"]+)"/g,
      (_, attribute: string, name: string) => `${attribute}="${prefix}/${name}${markOf(name)}"`,
    )
    .replace('<meta name="posthorn-base" content="" />', `<meta name="posthorn-base" content="${prefix}" />`)
    .replace(
      '<meta name="posthorn-temporal" content="" />',
      `<meta name="posthorn-temporal" content="${temporalOf(temporal)}" />`,
    );
  return publicFile(placed, 'text/html; charset=utf-8', {
    ...pageHeaders(POLICY),
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(url.protocol === 'https:' && { 'Strict-Transport-Security': 'max-age=31536000' }),
  });
}
