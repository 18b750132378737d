import { keep, kept } from '../lib/kept.ts';
import { chooseRows, rowsNow } from '../lib/rows.ts';
import { useTexts } from '../lib/texts.ts';

/** Taste of the person, kept by this browser. */
export function AllPreferences() {
  const t = useTexts();
  const setTheme = (theme: string): void => {
    keep('theme', theme);
    if (theme === '') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  };
  return (
    <div className="form">
      <label className="field">
        <span className="label">{t.preferences.theme}</span>
        <select className="input" defaultValue={kept('theme') ?? ''} onChange={(event) => setTheme(event.target.value)}>
          <option value="">{t.preferences.asSystem}</option>
          <option value="light">{t.preferences.light}</option>
          <option value="dark">{t.preferences.dark}</option>
        </select>
      </label>
      <label className="field">
        <span className="label">{t.preferences.rows}</span>
        <select
          className="input"
          defaultValue={rowsNow()}
          onChange={(event) => chooseRows(event.target.value === 'compact' ? 'compact' : 'comfortable')}
        >
          <option value="comfortable">{t.preferences.comfortable}</option>
          <option value="compact">{t.preferences.compact}</option>
        </select>
      </label>
      <label className="field">
        <span className="label">{t.preferences.keys}</span>
        <select
          className="input"
          defaultValue={kept('keys') ?? 'on'}
          onChange={(event) => keep('keys', event.target.value)}
        >
          <option value="on">{t.preferences.on}</option>
          <option value="off">{t.preferences.off}</option>
        </select>
      </label>
    </div>
  );
}
