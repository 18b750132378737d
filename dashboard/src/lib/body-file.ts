/** The file that a stored body is saved as. */
type BodyFile = { extension: 'json' | 'txt' | 'bin'; type: string; bytes: string | Uint8Array<ArrayBuffer> };

/**
 * Returns the file for a request's body. It is `.json` for valid JSON whose content type says so, or that has no
 * content type and is an object or an array; `.txt` for other UTF-8 text; and `.bin` for anything else. The request's
 * content type is not kept, because some browsers append the matching extension whatever the file is called.
 */
export function bodyFileOf({
  body,
  encoding,
  contentType,
}: {
  body: string;
  encoding: 'text' | 'base64';
  contentType?: string;
}): BodyFile {
  if (encoding === 'base64') {
    const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
    return { extension: 'bin', type: 'application/octet-stream', bytes };
  }
  const isMeantAsJson = contentType === undefined ? /^\s*[[{]/.test(body) : isJsonType(contentType);
  return isMeantAsJson && isJson(body)
    ? { extension: 'json', type: 'application/json', bytes: body }
    : { extension: 'txt', type: 'text/plain;charset=utf-8', bytes: body };
}

/** Whether the content type is `application/json`, `text/json`, or a type with the suffix `+json` (RFC 6839). */
const isJsonType = (contentType: string): boolean => /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
