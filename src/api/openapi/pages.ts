import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { FOR_EVER, contentHashOf, pageHeaders, type PublicFile, publicFile } from '../http/public-files.ts';
import type { Row } from '../http/route/route.ts';
import { documentOf } from './document.ts';

/** Where `npm run build` puts the API reader (finish-build.ts), so that a service without development packages has it. */
export const READER_COPY = fileURLToPath(new URL('scalar.js', import.meta.url));

/**
 * The file of the package that is Scalar's whole reader in one script. The Fastify package has the same script as
 * `@scalar/api-reference` with 19 packages instead of 269 (286 MB); 1.59.3 is the last version seen with the script as a file.
 */
export const readerOfPackage = (): string =>
  createRequire(import.meta.url)
    .resolve('@scalar/fastify-api-reference')
    .replace(/index\.js$/, 'js/standalone.js');

/**
 * Only our own scripts, and nothing from other origins. The reader writes its styles into the page, so `style-src` allows inline
 * styles; no other page of the service does.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const SCRIPT = 'text/javascript; charset=utf-8';

/** Switches off every feature of the reader that would contact another server or send it what the user types. */
const START = `Scalar.createApiReference('#reader', {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  persistAuth: false,
  defaultOpenAllTags: false,
  documentDownloadType: 'direct',
  hideClientButton: true
});
`;

const htmlOf = (scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reader"></div>
<noscript>This page needs JavaScript. The same as data: <a href="openapi.json">openapi.json</a></noscript>
${scripts.map((path) => `<script src="${path}"></script>`).join('\n')}
</body>
</html>
`;

export type DocumentPages = {
  /** Finds /openapi.json, /docs and its scripts by their paths. */
  find(path: string): Promise<PublicFile | undefined>;
  /** Builds the document, which blocks the thread for 0.3 s: a process that serves requests does it before the first one. */
  prepare(): void;
};

/** Each page is built on first request unless it was prepared: most processes of tests never need one. */
export function createPages(rows: readonly Row[], settings: { publicBaseUrl: string }): DocumentPages {
  let document: PublicFile | undefined;
  let reader: Promise<ReadonlyMap<string, PublicFile>> | undefined;
  const documentFile = (): PublicFile =>
    (document ??= publicFile(JSON.stringify(documentOf(rows, settings)), 'application/json; charset=utf-8'));
  return {
    async find(path) {
      if (path === '/openapi.json') return documentFile();
      if (path !== '/docs' && !path.startsWith('/docs/')) return undefined;
      reader ??= readReader();
      return (await reader).get(path);
    },
    prepare: () => void documentFile(),
  };
}

async function readReader(): Promise<ReadonlyMap<string, PublicFile>> {
  const script = await readFile(existsSync(READER_COPY) ? READER_COPY : readerOfPackage());
  const files: [path: string, file: PublicFile][] = [
    [`docs/scalar-${contentHashOf(script)}.js`, publicFile(script, SCRIPT, FOR_EVER)],
    [`docs/start-${contentHashOf(START)}.js`, publicFile(START, SCRIPT, FOR_EVER)],
  ];
  const html = publicFile(htmlOf(files.map(([path]) => path)), 'text/html; charset=utf-8', pageHeaders(POLICY));
  return new Map([['/docs', html], ...files.map(([path, file]): [string, PublicFile] => [`/${path}`, file])]);
}
