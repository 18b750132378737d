import { CONNECTION_INPUTS } from './connections.ts';
import { DEFINITION_INPUTS } from './definitions.ts';
import { INBOUND_INPUTS } from './inbound.ts';
import { get, type HostileInput } from './input.ts';
import { PUBLISHING_INPUTS } from './publishing.ts';
import { READING_INPUTS } from './reading.ts';
import { RUN_INPUTS } from './runs.ts';
import { STRANGERS_INPUTS } from './strangers.ts';

/** Every hostile input: the worst of the allowed size that was found for each parser of parsers.ts. */
export const HOSTILE_INPUTS: readonly HostileInput[] = [
  ...CONNECTION_INPUTS,
  ...STRANGERS_INPUTS,
  ...INBOUND_INPUTS,
  ...READING_INPUTS,
  ...DEFINITION_INPUTS,
  ...RUN_INPUTS,
  ...PUBLISHING_INPUTS,
];

/** A call that any tenant makes, for comparison: so many of it at once are a load, and hold nobody up. */
export const ORDINARY: Pick<HostileInput, 'name' | 'begin'> = {
  name: 'ordinary: a list of channels',
  begin: (attacker) => () => attacker.sendKeyed(get('/v1/channels?limit=1')),
};
