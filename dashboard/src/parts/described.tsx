/** A description of the service, in which `names` stand between backticks. */
export const Described = ({ text }: { text: string }) =>
  text.split('`').map((part, position) =>
    // Pieces have no other name than their place: every second one is a name.
    position % 2 === 1 ? <code key={position}>{part}</code> : part,
  );
