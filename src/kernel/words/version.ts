/** The version of package.json (a test holds them together); the user-agent of outgoing requests carries it. */
export const VERSION = '0.9.0';
