import { type ComponentProps, useContext } from 'react';
import { timeOfText, useZoneName, ZoneContext } from '../lib/times.ts';
import { TextField } from './field.tsx';

type Given = Omit<ComponentProps<typeof TextField>, 'type' | 'step' | 'lines' | 'isCode'>;

/** A time to the second, written in the zone of the reader, which its name says. */
export function TimeField({ label, ...given }: Given) {
  const zoneName = useZoneName();
  return <TextField label={`${label} (${zoneName})`} type="datetime-local" step={1} {...given} />;
}

/** The time that such a field has, as the API takes it. Undefined while no whole time stands there. */
export function useTimeOf(): (text: string) => string | undefined {
  const zone = useContext(ZoneContext);
  return (text) => timeOfText(text, zone);
}
