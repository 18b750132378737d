/** A request as its sender makes it. */
export type HostileRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
};

export const JSON_TYPE = { 'content-type': 'application/json' };
