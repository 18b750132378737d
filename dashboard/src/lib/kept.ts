/** Things that this browser keeps for its person: no secret is ever among them. */
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

/** The value kept under a name. Undefined without one, and where the browser keeps nothing. */
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
    // A browser that keeps nothing shows everything as it is by default.
  }
}
