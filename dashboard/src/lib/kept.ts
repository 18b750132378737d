/** Things that this browser stores for its user. Never a secret. */
type Name =
  | 'theme'
  | 'nav'
  | 'zone'
  | 'place'
  | 'keys'
  | 'passkey'
  | 'panel'
  | 'rows'
  | `looked.${string}`
  | `hidden.${string}`
  | `fold.${string}`;

/**
 * Returns the value stored under a name. Returns undefined if there is none, or if the browser does not store anything.
 */
export function kept(name: Name): string | undefined {
  try {
    return localStorage.getItem(`posthorn.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: Name, value: string): void {
  try {
    localStorage.setItem(`posthorn.${name}`, value);
  } catch {
    // Without browser storage everything keeps its default.
  }
}
