/** Drivers decode both: a password with a bare % in it would fail there, without the name of the setting. */
export function isDecodable(url: string): boolean {
  try {
    const { username, password } = new URL(url);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}
