/** The version of package.json (a test compares them), which is part of the user-agent of outgoing requests. */
export const VERSION = '0.9.0';
