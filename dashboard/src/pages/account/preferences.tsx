import { useContext, useState } from 'react';
import { keep, kept } from '../../lib/kept.ts';
import { chooseRows, rowsNow } from '../../lib/rows.ts';
import { ZoneContext } from '../../lib/times.ts';
import { PreferencesContext } from '../../parts/preferences-provider.tsx';
import { Section } from '../../ui/layout.tsx';
import { Segmented } from '../../ui/tabs.tsx';

/** Preferences of the user, stored by this browser. */
export function Preferences() {
  const zone = useContext(ZoneContext);
  const { setZone } = useContext(PreferencesContext);
  const [theme, setTheme] = useState(kept('theme') ?? '');
  const [rows, setRows] = useState<string>(rowsNow);
  const [keys, setKeys] = useState(kept('keys') ?? 'on');
  const choices = [
    {
      label: 'Theme',
      value: theme,
      options: [
        { value: '', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ],
      onChange(next: string) {
        setTheme(next);
        keep('theme', next);
        if (next === '') delete document.documentElement.dataset['theme'];
        else document.documentElement.dataset['theme'] = next;
      },
    },
    {
      label: 'Time zone',
      value: zone,
      options: [
        { value: 'utc', label: 'UTC' },
        { value: 'local', label: 'Local time' },
      ],
      onChange: (next: string) => setZone(next === 'local' ? 'local' : 'utc'),
    },
    {
      label: 'Rows',
      value: rows,
      options: [
        { value: 'comfortable', label: 'Comfortable' },
        { value: 'compact', label: 'Compact' },
      ],
      onChange(next: string) {
        setRows(next);
        chooseRows(next === 'compact' ? 'compact' : 'comfortable');
      },
    },
    {
      label: 'Single-key shortcuts',
      value: keys,
      options: [
        { value: 'on', label: 'On' },
        { value: 'off', label: 'Off' },
      ],
      onChange(next: string) {
        setKeys(next);
        keep('keys', next);
      },
    },
  ];
  return (
    <Section title="Preferences">
      <ul className="flex flex-col gap-2">
        {choices.map(({ label, ...choice }) => (
          <li key={label} className="flex min-h-control flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <span aria-hidden="true">{label}</span>
            <Segmented label={label} {...choice} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
