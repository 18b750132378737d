import type { Attacker } from './attacker.ts';
import { type HostileRequest, JSON_TYPE } from './request.ts';
import type { Parser } from './parsers.ts';

/** Sends the input for the `n`th time, and tells how it was answered: see `answerOf` in attacker.ts. */
export type Send = (n: number) => Promise<string>;

/** A row of the table of hostile inputs. */
export type HostileInput = {
  name: string;
  parser: Parser;
  who: 'nobody' | 'a signed sender' | 'a publishing key' | 'a reading key' | 'an author' | 'a receiver';
  /** How many are in flight all the time. */
  atOnce: number;
  /** What an answer begins with when the input has reached its parser. An input without such an answer has measured nothing. */
  reached: string;
  /** Makes what the input needs, once, and returns how it is sent. */
  begin(attacker: Attacker): Promise<Send> | Send;
};

export const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
export const MEBIBYTE = 1_048_576;

export const get = (path: string, headers: Record<string, string> = {}): HostileRequest => ({
  method: 'GET',
  path,
  headers,
});
export const post = (
  path: string,
  body: string | object,
  headers: Record<string, string> = JSON_TYPE,
): HostileRequest => ({
  method: 'POST',
  path,
  headers,
  // As bytes: a text of 5 MiB would be written anew for each request.
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** Sends each of these in turn. */
export const always =
  (...requests: readonly HostileRequest[]) =>
  (attacker: Attacker): Send =>
  (n) =>
    attacker.send(requests[n % requests.length] ?? requests[0] ?? get('/'));

/** The text so many times, with commas between. */
export const listed = (text: string, times: number): string => Array.from({ length: times }, () => text).join(',');

export const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));
