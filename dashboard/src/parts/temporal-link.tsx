/** Leads into Temporal's UI, in a tab of its own. Only the text where nobody has told its address. */
export const TemporalLink = ({ to, text }: { to: string | undefined; text: string }) =>
  to === undefined ? (
    text
  ) : (
    <a href={to} target="_blank" rel="noreferrer">
      {text} ↗
    </a>
  );
