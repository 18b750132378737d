import { OUTCOMES, type ConsentOutcome, pageOfOutcome } from './consent-outcomes.ts';
import { pageHeaders, type PublicFile, publicFile } from '../../api/http/public-files.ts';

const HEADERS = pageHeaders(["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]);

/** Finds the pages where browsers end that come back from a provider. Their address has no code any more. */
export function createOutcomePages(): (path: string) => Promise<PublicFile | undefined> {
  const pages = new Map(
    Object.entries(OUTCOMES).map(([outcome, [title, text]]) => [
      // `as`: a key of the table.
      pageOfOutcome(outcome as ConsentOutcome),
      publicFile(htmlOf(title, text), 'text/html; charset=utf-8', HEADERS),
    ]),
  );
  return async (path) => pages.get(path);
}

const htmlOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>
`;
