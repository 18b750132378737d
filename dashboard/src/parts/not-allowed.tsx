import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Heading } from './heading.tsx';

/** Stands in place of a page that the role of the person does not allow, or of a part of one (`isPart`), and says which role that is. */
export function NotAllowed({ isPart = false }: { isPart?: boolean }) {
  const t = useTexts();
  const { organisation } = useHere();
  const why = <p>{t.common.notAllowed(t.roles[organisation.role])}</p>;
  if (isPart) return why;
  return (
    <>
      <Heading title={t.common.notAllowedTitle} />
      {why}
    </>
  );
}
