import type { KeyboardEvent } from 'react';

type Given<T extends string> = {
  tabs: readonly T[];
  names: Readonly<Record<T, string>>;
  current: T;
  onChoose: (tab: T) => void;
  /** The thing that the tabs are of, where the heading above does not say so. */
  label?: string;
  /** Beginning of the ids of the tabs and of their panel, where the panel names its tab. */
  id?: string;
};

/** Tabs as one stop of the keyboard: arrows, Home and End choose among them. */
export function TabList<T extends string>({ tabs, names, current, onChoose, label, id }: Given<T>) {
  const choose = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = tabs.indexOf(current);
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      ArrowRight: (at + 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const place = places[event.key];
    const tab = place === undefined ? undefined : tabs[place];
    if (place === undefined || tab === undefined) return;
    event.preventDefault();
    onChoose(tab);
    const button = event.currentTarget.children[place];
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={choose}>
      {tabs.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={id && `${id}-${tab}`}
          aria-selected={tab === current}
          aria-controls={id && `${id}-panel`}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => onChoose(tab)}
        >
          {names[tab]}
        </button>
      ))}
    </div>
  );
}
