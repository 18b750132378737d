import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { FOR_EVER, contentHashOf, pageHeaders, type PublicFile, publicFile } from '../http/public-files.ts';
import type { Row } from '../http/route/route.ts';
import { documentOf } from './document.ts';

/** Where `npm run build` puts the reader (finish-build.ts), so that a service without development packages has it. */
export const READER_COPY = fileURLToPath(new URL('scalar.js', import.meta.url));

/** File of the package that is Scalar's whole reader in one script. */
export const readerOfPackage = (): string =>
  createRequire(import.meta.url)
    .resolve('@scalar/fastify-api-reference')
    .replace(/index\.js$/, 'js/standalone.js');

/**
 * Scripts of our own alone, and nothing from anywhere else. The reader writes its styles into the page, which `style-src` allows: that is
 * the one page of the service where they are.
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

/** Everything of the reader that would ask another server, or send what its user writes to one, is off. */
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
  /** Makes the document. It takes 0.3 s of this thread: a process that serves does it before its first request. */
  prepare(): void;
};

/** Each page is made when it is first asked for, but for what is prepared: most processes of tests never are. */
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
