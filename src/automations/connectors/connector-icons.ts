import { CONNECTORS } from './catalogue/catalogue.ts';
import { iconPathOf } from './service.ts';
import { type PublicFile, publicFile } from '../../api/http/public-files.ts';

/**
 * Prevents scripts in icons, wherever they are opened. Colours are SVG attributes, which the policy does not treat as
 * inline styles.
 */
const HEADERS = { 'Content-Security-Policy': "default-src 'none'; sandbox" };

/** Serves the icons of connectors by path: initials on a colour, not trademarks. */
export function createConnectorIcons(): (path: string) => Promise<PublicFile | undefined> {
  const icons = new Map(CONNECTORS.map(({ id, name, colour }) => [iconPathOf(id), { name, colour }]));
  return async (path) => {
    const icon = icons.get(path);
    return icon && publicFile(svgOf(icon), 'image/svg+xml', HEADERS);
  };
}

const svgOf = ({ name, colour }: { name: string; colour: string }): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="${name}">` +
  `<rect width="64" height="64" rx="12" fill="#${colour}"/>` +
  `<text x="32" y="43" font-family="system-ui, sans-serif" font-size="30" font-weight="600" text-anchor="middle" fill="#fff">${lettersOf(name)}</text></svg>`;

/** Returns two capitals of a name, or its first two letters. */
function lettersOf(name: string): string {
  const capitals = name.replaceAll(/[^A-Z]/g, '').slice(0, 2);
  return capitals.length === 2 ? capitals : name.slice(0, 2);
}
