import { Search } from 'lucide-react';
import { useState } from 'react';
import { PROVIDERS, type ProviderName } from '../../lib/providers.ts';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { ProviderTile } from './provider-tile.tsx';
import { SCHEME_WORDS, SCHEME_NAMES, type SchemeChoice } from './words.ts';

export type ProviderChoice = ProviderName | SchemeChoice;

// `as`: PROVIDERS has no other keys.
const ALL = (Object.entries(PROVIDERS) as [ProviderName, string][]).toSorted(([, a], [, b]) => a.localeCompare(b));

export const isScheme = (sender: string): sender is SchemeChoice => SCHEME_NAMES.some((each) => each === sender);
export const isSender = (text: string | undefined): text is ProviderChoice =>
  text !== undefined && (isScheme(text) || Object.hasOwn(PROVIDERS, text));
export const senderName = (sender: ProviderChoice): string =>
  isScheme(sender) ? SCHEME_WORDS[sender].name : PROVIDERS[sender];

/** All known services, and the authentication methods for any other one. */
export function ProviderGrid({ onChoose }: { onChoose: (sender: ProviderChoice) => void }) {
  const [text, setText] = useState('');
  const isMeant = (name: string): boolean => name.toLowerCase().includes(text.trim().toLowerCase());
  const known = ALL.filter(([, name]) => isMeant(name));
  const own = SCHEME_NAMES.filter((scheme) => isMeant(SCHEME_WORDS[scheme].name) || known.length === 0);
  return (
    <div className="flex flex-col gap-7">
      <div role="search" aria-label="Providers" className="max-w-100">
        <TextField
          label="Search providers"
          isLabelHidden
          type="search"
          placeholder="Search providers"
          before={<Icon of={Search} isSmall className="text-text-3" />}
          value={text}
          onChange={setText}
          hasFocus
        />
      </div>
      {known.length > 0 && (
        <Section title="Providers">
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,180px),1fr))] gap-2.5">
            {known.map(([id, name]) => (
              <li key={id}>
                <button
                  type="button"
                  onClick={() => onChoose(id)}
                  className="flex h-13 w-full items-center gap-2.5 rounded-8 border border-line-strong px-2.5 text-left font-medium hover:bg-hover"
                >
                  <ProviderTile id={id} name={name} />
                  <span className="min-w-0 leading-4">{name}</span>
                </button>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {own.length > 0 && (
        <Section title="Any other sender">
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,280px),1fr))] gap-2.5">
            {own.map((scheme) => (
              <li key={scheme}>
                <button
                  type="button"
                  onClick={() => onChoose(scheme)}
                  className="flex h-full w-full items-start gap-2.5 rounded-8 border border-line-strong p-2.5 text-left hover:bg-hover"
                >
                  <ProviderTile id={scheme} name={SCHEME_WORDS[scheme].name} />
                  <span className="min-w-0">
                    <span className="block font-medium">{SCHEME_WORDS[scheme].name}</span>
                    <span className="block text-12 text-text-2">{SCHEME_WORDS[scheme].hint}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}
