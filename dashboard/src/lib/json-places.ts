import { JSON_TOKEN } from './raw-json.ts';

/** Where the value of a path begins in a JSON text: `payload.items[0].sku`. Undefined where there is none. */
export function placeOfPath(json: string, path: string, root: string): number | undefined {
  if (path === root) return 0;
  const open: { path: string; item: number | undefined }[] = [];
  let current = root;
  let isKey = false;
  for (const { 0: token, index } of json.matchAll(JSON_TOKEN)) {
    const inside = open.at(-1);
    if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (inside?.item !== undefined) inside.item += 1;
      else isKey = inside !== undefined;
    } else if (token !== ':') {
      if (isKey && inside !== undefined) {
        isKey = false;
        current = `${inside.path}.${keyOf(token)}`;
        if (current === path) return index;
        continue;
      }
      if (inside?.item !== undefined) current = `${inside.path}[${inside.item}]`;
      if (current === path) return index;
      if (token === '{' || token === '[') {
        open.push({ path: current, item: token === '[' ? 0 : undefined });
        isKey = token === '{';
      }
    }
  }
  return undefined;
}

function keyOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
