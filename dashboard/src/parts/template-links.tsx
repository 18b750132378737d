import { useTexts } from '../lib/texts.ts';
import { TEMPLATE_NAMES } from '../lib/workflow-templates.ts';
import { HereLink } from './link.tsx';

/** Leads to a new workflow that begins with one of the templates. */
export function TemplateLinks() {
  const t = useTexts();
  return (
    <div className="stack">
      <p>{t.definition.templates.title}:</p>
      <div className="buttons">
        {TEMPLATE_NAMES.map((template) => (
          <HereLink key={template} to="/workflows/new" search={{ template }} className="button">
            {t.definition.templates[template]}
          </HereLink>
        ))}
      </div>
    </div>
  );
}
